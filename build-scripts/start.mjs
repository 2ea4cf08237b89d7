// npm start: builds what has changed, serves dist/ and prints its address.
//   npm start -- --port 9000     another port (0: any free one)
//   npm start -- --host 0.0.0.0  for other machines of the network too
import { parseArgs } from 'node:util';
import { log, runMain, StepError } from './lib/run.mjs';
import { buildSite, siteFolder } from './lib/steps.mjs';
import { startServer } from './serve.mjs';

const usualPort = 8000;
const portsToTry = 50;

/** Reads the options or ends with a sentence. */
function options() {
  let values;
  try {
    ({ values } = parseArgs({ options: { port: { type: 'string' }, host: { type: 'string' } } }));
  } catch (error) {
    throw new StepError(`${error instanceof Error ? error.message : error}\nUsage: npm start -- [--port N] [--host ADDRESS]`);
  }
  const { port, host = '127.0.0.1' } = values;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65535)) {
    throw new StepError(`--port must be a whole number from 0 to 65535, not '${port}'.`);
  }
  return { port: port === undefined ? undefined : Number(port), host };
}

await runMain(async () => {
  const { port, host } = options();
  await buildSite();
  let server;
  try {
    // A port that was asked for is taken or refused; the usual one gives way to the next free one.
    server = await startServer({
      root: siteFolder,
      host,
      port: port ?? usualPort,
      tries: port === undefined ? portsToTry : 0,
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'EADDRINUSE') throw new StepError(`Port ${port ?? usualPort} is in use; choose another with --port (0: any free one).`);
    if (code === 'EACCES') throw new StepError(`Port ${port} may not be opened by this user; choose one above 1023.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new StepError(`This machine has no address '${host}'.`);
    throw error;
  }
  log('');
  process.stdout.write(`Attention Plates: ${server.url}\n`);
  log('Ctrl+C ends it.');
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => server.close().then(() => process.exit(0)));
  }
});
