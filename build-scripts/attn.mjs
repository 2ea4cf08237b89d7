// npm run --silent attn -- run saturation --d 128: the native command line, built when needed.
// stdout belongs to the command alone; what the build has to say goes to stderr.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { root, runMain } from './lib/run.mjs';
import { buildPreset, checkNode, ensureToolchain } from './lib/steps.mjs';

await runMain(async () => {
  checkNode();
  await ensureToolchain('native');
  await buildPreset('native-release', { targets: ['attn_cli'] });
  // npm starts scripts in the package's folder; paths among the arguments are the caller's.
  const child = spawn(join(root, 'build/native-release/attn'), process.argv.slice(2), {
    cwd: process.env.INIT_CWD ?? process.cwd(),
    stdio: 'inherit',
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
});
