// Runs a program that Emscripten built for Node with relaxed SIMD, which Node.js 20 has but keeps switched off; later ones know no such
// switch. Usage: node relaxed.mjs program.js arguments... No test here.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';

if (Number.parseInt(process.versions.node, 10) < 22) setFlagsFromString('--experimental-wasm-relaxed-simd');
process.argv.splice(1, 1);
createRequire(import.meta.url)(resolve(process.argv[1]));
