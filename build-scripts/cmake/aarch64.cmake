# Toolchain file of the preset `aarch64`: Debian's cross compiler for 64-bit ARM, and QEMU in place of such a processor for what was
# built (toolchain.sh arm brings both). It sets no flags: those are the targets' business.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;/usr/aarch64-linux-gnu")
