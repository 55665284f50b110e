#include "base/clock.h"
#include "cli/bench/bench.h"

#define PART "PostgreSQL"
#define SQL "src/cli/bench/sql/"
#define TURNS 300
#define ROWS 20000
#define PAGE 1000

static gboolean
round_trips (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (GArray) times_us = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (int i = 0; i < TURNS && !bench_is_stopped (); i++) {
    gint64 began_us = clock_monotonic_us ();
    g_autoptr (PgRows) rows = pg_run_file (pg, SQL "nothing.sql", NULL, error);
    if (rows == NULL)
      return FALSE;
    gint64 took_us = clock_monotonic_us () - began_us;
    g_array_append_val (times_us, took_us);
  }
  if (times_us->len > 0)
    bench_median (cli, PART, "round trip", times_us);
  return TRUE;
}

/* Each reaches the disk, as a step's does. */
static gboolean
commits (Cli *cli, Pg *pg, GError **error)
{
  guint n = 0;
  gint64 began_us = clock_monotonic_us ();
  for (; n < TURNS && !bench_is_stopped (); n++) {
    g_autoptr (PgRows) rows = NULL;
    if (!pg_begin (pg, error) || (rows = pg_run_file (pg, SQL "record.sql", NULL, error)) == NULL
        || !pg_commit (pg, error))
      return FALSE;
  }
  bench_rate (cli, PART, "commits, one after the other", n, "commits", began_us);
  return TRUE;
}

/* Pages by keyset, as a job deletes them, of a table that lives as long as the transaction. */
static gboolean
delete_pages (Cli *cli, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "rows", ROWS);
  g_autoptr (PgRows) filled = NULL;
  if (!pg_exec (
          pg,
          "CREATE TEMPORARY TABLE pruned_bench (id bigint PRIMARY KEY, day date, row text) ON COMMIT DROP",
          error)
      || (filled = pg_run_file (pg, SQL "fill.sql", values, error)) == NULL)
    return FALSE;
  guint gone = 0;
  gint64 began_us = clock_monotonic_us ();
  for (int after = 0; after < ROWS && !bench_is_stopped (); after += PAGE) {
    pg_values_int (values, "after", after);
    pg_values_int (values, "limit", PAGE);
    g_autoptr (PgRows) page = pg_run_file (pg, SQL "page.sql", values, error);
    if (page == NULL)
      return FALSE;
    gone += (guint)rows_count (page);
  }
  bench_rate (cli, PART, "deleted in pages of 1000, given back whole", gone, "rows", began_us);
  return TRUE;
}

static gboolean
measure (Cli *cli, Pg *pg, GError **error)
{
  if (!round_trips (cli, pg, error) || !commits (cli, pg, error) || !pg_begin (pg, error))
    return FALSE;
  gboolean ok = delete_pages (cli, pg, error);
  pg_rollback (pg);
  return ok;
}

ExitCode
bench_postgres (Cli *cli, GError **error)
{
  g_autoptr (Pg) pg = cli_pg_bare (cli, error);
  if (pg == NULL)
    return CODE_POSTGRES;
  return measure (cli, pg, error) ? CODE_OK : cli_pg_failed (pg, error);
}
