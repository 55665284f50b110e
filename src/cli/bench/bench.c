#include "cli/bench/bench.h"

#include "avro/message.h"
#include "base/clock.h"
#include "cli/commands.h"

#include <signal.h>

#define PART "messages"
#define MESSAGES 50000

const char bench_more[]
    = "Takes some seconds and is safe while a daemon runs: PostgreSQL deletes from a temporary table and rolls back, Kafka gets "
      "a topic of its own, <prefix>.bench-<id>, which is removed again. Nothing else is written but a few hundred small records in the "
      "write-ahead log. It measures one connection, one producer and one partition: a daemon has several of each.";

const char *const BENCH_WORK[] = { "0b1f6bb2-5f5c-5a7e-9d1c-6f6b1f6a0c11",
                                   "members.remove_expired",
                                   "41",
                                   "0",
                                   "2026-01-02T00:10:00.000000Z",
                                   "2026-01-02T00:10:12.345678Z",
                                   "{}",
                                   "{\"expires_at\":\"2025-12-31\",\"id\":4711}",
                                   NULL };

static const Column COLUMNS[]
    = { { "part" }, { "measure" }, { "value", CELL_NUMBER }, { "unit" }, { NULL } };

static atomic_int stopped;

static void
note_signal (G_GNUC_UNUSED int number)
{
  atomic_store (&stopped, TRUE);
}

gboolean
bench_is_stopped (void)
{
  return atomic_load (&stopped);
}

const atomic_int *
bench_stop (void)
{
  return &stopped;
}

static void
row (Cli *cli, const char *part, const char *measure, double value, const char *unit)
{
  double shown
      = value < 10 ? (double)(gint64)(value * 1000 + 0.5) / 1000 : (double)(gint64)(value + 0.5);
  output_row (cli->out, json_string (part), json_string (measure), json_real (shown),
              json_string (unit));
}

void
bench_rate (Cli *cli, const char *part, const char *measure, guint number, const char *things,
            gint64 began_us)
{
  if (number == 0)
    return;
  double seconds = (double)(clock_monotonic_us () - began_us) / G_USEC_PER_SEC;
  g_autofree char *unit = g_strconcat (things, "/s", NULL);
  row (cli, part, measure, number / MAX (seconds, 1e-6), unit);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  gint64 left = *(const gint64 *)a, right = *(const gint64 *)b;
  return (left > right) - (left < right);
}

void
bench_median (Cli *cli, const char *part, const char *measure, GArray *times_us)
{
  g_array_sort (times_us, compare);
  row (cli, part, measure, (double)g_array_index (times_us, gint64, times_us->len / 2) / 1000,
       "ms");
}

/* Measures this machine only: no server is involved. */
static ExitCode
bench_messages (Cli *cli, GError **error)
{
  g_autoptr (GByteArray) value = g_byte_array_new ();
  gint64 began_us = clock_monotonic_us ();
  for (int i = 0; i < MESSAGES; i++) {
    g_byte_array_set_size (value, 0);
    if (!message_encode_texts (BENCH_WORK_TYPE, BENCH_WORK, value, error))
      return CODE_BUG;
  }
  bench_rate (cli, PART, "encoded as Avro", MESSAGES, "messages", began_us);
  MessageSource source = {
    .value = value->data, .value_len = value->len, .type = BENCH_WORK_TYPE, .space = BENCH_WORK_TYPE
  };
  began_us = clock_monotonic_us ();
  for (int i = 0; i < MESSAGES; i++) {
    MessageDecoded decoded = { 0 };
    gboolean ok = message_decode (&source, &decoded, error);
    message_decoded_clear (&decoded);
    if (!ok)
      return CODE_BUG;
  }
  bench_rate (cli, PART, "decoded from Avro", MESSAGES, "messages", began_us);
  return CODE_OK;
}

ExitCode
command_bench (Cli *cli, GError **error)
{
  struct sigaction action = { .sa_handler = note_signal };
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  output_table (cli->out, COLUMNS);
  ExitCode code = bench_messages (cli, error);
  if (code == CODE_OK && !bench_is_stopped ())
    code = bench_postgres (cli, error);
  if (code == CODE_OK && !bench_is_stopped ())
    code = bench_kafka (cli, error);
  output_end (cli->out);
  return code == CODE_OK && bench_is_stopped ()
             ? cli_fail (CODE_TIME_OVER, error, "stopped before the end")
             : code;
}
