// Graphile Worker with the settings of its own performance test: NUMBER empty jobs, queued beforehand, worked off by one process.
// Prints the seconds from the first job's begin until all jobs are gone from its table.
// node worker.mjs MODULES URL NUMBER; MODULES: the folder of node_modules.
import { createRequire } from "node:module";

const [modules, connectionString, number] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { makeWorkerUtils, run, Logger } = require("graphile-worker");
const { Client } = require("pg");

const client = new Client({ connectionString });
await client.connect();
const utils = await makeWorkerUtils({ connectionString });
await utils.migrate();
await utils.release();
await client.query(
  "SELECT count(*) FROM (SELECT graphile_worker.add_job('empty', json_build_object('n', n)) FROM generate_series(1, $1::int) AS n) AS all_of_them",
  [number]);
await client.query("VACUUM ANALYZE");

let began = null;
const runner = await run({
  preset: {
    worker: {
      connectionString, concurrentJobs: 24, maxPoolSize: 25, completeJobBatchDelay: 0, failJobBatchDelay: 0,
      localQueue: { size: 500 }, logger: new Logger(() => () => {}),
    },
  },
  taskList: { empty: async () => { began ??= process.hrtime.bigint(); } },
});
const left = async () => (await client.query("SELECT EXISTS (SELECT FROM graphile_worker.jobs) AS any")).rows[0].any;
while (await left()) await new Promise((resolve) => setTimeout(resolve, 5));
console.log(Number(process.hrtime.bigint() - began) / 1e9);
await runner.stop();
await client.end();
