// Reads the outcomes of pruned up to their end, however they are written ([outcomes] format).
//
//     node read-outcomes.mjs BROKER TOPIC SCHEMAS
//
// SCHEMAS: the folder share/pruned/schemas, or the address of the schema registry. package.json
// names the libraries.

import avro from "avsc";
import fs from "node:fs";
import path from "node:path";
import { Kafka, logLevel } from "kafkajs";

const SHOWN = ["run_id", "table", "key", "what", "reason"];
const [broker, topic, place] = process.argv.slice(2);
const registry = place.startsWith("http") ? place : null;

// CRC-64-AVRO, as the specification of Avro has it.
const EMPTY = 0xc15d213aa4d7a795n;
const TABLE = Array.from({ length: 256 }, (_, n) => {
  let value = BigInt(n);
  for (let bit = 0; bit < 8; bit++) value = (value >> 1n) ^ (EMPTY & -(value & 1n) & 0xffffffffffffffffn);
  return value;
});

function fingerprint(text) {
  let value = EMPTY;
  for (const byte of Buffer.from(text)) value = (value >> 8n) ^ TABLE[Number((value ^ BigInt(byte)) & 0xffn)];
  return value;
}

const byFingerprint = new Map();
const byNumber = new Map();
if (!registry) {
  const folder = path.join(place, "outcomes");
  for (const file of fs.readdirSync(folder).filter((name) => name.endsWith(".avsc"))) {
    const type = avro.Type.forSchema(JSON.parse(fs.readFileSync(path.join(folder, file), "utf8")));
    byFingerprint.set(fingerprint(JSON.stringify(type.schema())), type);
  }
}

async function numbered(number) {
  if (!byNumber.has(number)) {
    const answer = await fetch(`${registry}/schemas/ids/${number}`);
    byNumber.set(number, avro.Type.forSchema(JSON.parse((await answer.json()).schema)));
  }
  return byNumber.get(number);
}

// The fields of an outcome; null: its schema is newer than this reader's.
async function decoded(value) {
  if (value[0] === 0x7b) return JSON.parse(value.toString());
  const framed = value[0] === 0;
  const type = framed ? await numbered(value.readUInt32BE(1)) : byFingerprint.get(value.readBigUInt64LE(2));
  return type ? type.fromBuffer(value.subarray(framed ? 5 : 10)) : null;
}

// A union of several kinds has the name of the kind around its value.
function text(value) {
  const inner = value !== null && typeof value === "object" ? Object.values(value)[0] : value;
  return inner === null || inner === undefined ? null : String(inner);
}

const seen = new Set();
async function show(message) {
  const id = message.headers.ce_id.toString();
  if (seen.has(id)) return; // a message can come again after a crash
  seen.add(id);
  const fields = await decoded(message.value);
  if (fields === null) return; // types that a reader does not know are to be ignored
  const line = { record: message.headers.ce_type.toString().split(".").pop() };
  for (const name of SHOWN) if (text(fields[name]) !== null) line[name] = text(fields[name]);
  console.log(JSON.stringify(line));
}

// All that the topic has now. A service would go on.
const kafka = new Kafka({ brokers: [broker], clientId: "read-outcomes", logLevel: logLevel.NOTHING });
const admin = kafka.admin();
await admin.connect();
const left = new Map();
for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
  if (Number(high) > Number(low)) left.set(partition, Number(high));
const reader = kafka.consumer({ groupId: `read-outcomes-${process.pid}` });
if (left.size > 0) {
  await reader.connect();
  await reader.subscribe({ topics: [topic], fromBeginning: true });
  await new Promise((resolve, reject) => {
    reader.on(reader.events.CRASH, ({ payload }) => reject(payload.error));
    reader.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => {
        if (Number(message.offset) >= (left.get(partition) ?? 0)) return;
        await show(message);
        if (Number(message.offset) + 1 === left.get(partition)) left.delete(partition);
        if (left.size === 0) resolve();
      },
    });
  });
  await reader.disconnect();
}
await admin.disconnect();
