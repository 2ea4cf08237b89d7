// How the tests and benchmarks start Chromium: the one that toolchain.sh installed, or CHROMIUM in the environment.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The browser's executable, or an Error saying how to get it. */
function chromiumPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of names) if (existsSync(join(folder, name))) return join(folder, name);
  }
  throw new Error("Chromium was not found: run 'build-scripts/toolchain.sh browser' or name it in CHROMIUM.");
}

/** Launch options for playwright-core. No request of the browser's own leaves the machine. */
export function chromiumOptions() {
  return {
    executablePath: chromiumPath(),
    headless: true,
    args: [
      // Chromium refuses its sandbox to root, and containers usually are root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  };
}
