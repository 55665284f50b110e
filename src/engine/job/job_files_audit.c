/* The statements that change rows, with the audit that they write. */
#include "engine/job/job_files.h"

#include "base/resource.h"

#include <string.h>

/* The server writes the audit itself, so the rows are not sent to the daemon. Columns that are
 * secrets are left out of the rows. The first statement on a table in a transaction looks for them
 * (SECRET_SQL) and leaves what it finds in a setting of the transaction: until the transaction
 * ends, or is rolled back to before that statement, its lock keeps the columns as they are, and the
 * setting stands as long as the lock.
 * Records that are together too wide are not written, so that PostgreSQL never has them in memory
 * at once: the step sees how many bytes they are, and is rolled back (step/weight.h). Of narrow
 * rows it gets NULL, which costs least. Every function here is PostgreSQL's or the schema's own, so
 * functions that belong to a column's type are not called. */
#define SECRET_SQL "src/engine/job/sql/secret.sql"
#define KEY_SQL "src/engine/job/sql/audited_key.sql"
#define AUDITED(whose, of, as_one)                                                                                                      \
  "WITH applied AS (%s\n), %s,"                                                                                                         \
  " weighed AS (SELECT pg_catalog.sum(pg_catalog.pg_column_size(w.row)) AS bytes FROM applied w),"                                      \
  " audit AS (INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows)"                                              \
  " SELECT " whose ", '%s', '%s', pg_catalog.to_jsonb(pg_catalog.array_agg(\n%s)),"                                                     \
  " CASE WHEN (SELECT how FROM secret) = 'full' THEN pg_catalog.to_jsonb(pg_catalog.array_agg(a.row - (SELECT names FROM secret))) END" \
  " FROM applied a, LATERAL (SELECT pg_catalog.to_jsonb(a.key) AS key) AS k" of                                                         \
  " WHERE (SELECT how FROM secret) <> 'off' AND (SELECT bytes <= :page_bytes::bigint FROM weighed)" as_one                              \
  ")%s%s"                                                                                                                               \
  " SELECT %s, (SELECT CASE WHEN bytes > LEAST(:page_bytes::bigint / 16, 1048576) THEN bytes END FROM weighed) AS audit_bytes FROM applied"
#define OF_ONE AUDITED (":run_id::uuid, :step::int", "", " HAVING pg_catalog.count(*) > 0")
#define OF_MANY                                                                                    \
  AUDITED ("w.run_id, w.step",                                                                     \
           ", unnest(:audit.run_id::uuid[], :audit.step::int[], :audit.key::text[])"               \
           " AS w (run_id, step, key)",                                                            \
           " AND w.key = pg_catalog.format('%%s', a.%s) GROUP BY w.run_id, w.step")
#define OF_OWNERS                                                                                  \
  AUDITED ("w.run_id, w.step",                                                                     \
           ", unnest(:audit.run_id::uuid[], :audit.step::int[], :audit.key::text[])"               \
           " AS w (run_id, step, key)",                                                            \
           " AND w.key = a.row ->> '%s' GROUP BY w.run_id, w.step")
#define HOW_MANY_OWNED                                                                             \
  "pg_catalog.count(*) AS n, pg_catalog.count(*) FILTER"                                           \
  " (WHERE row ->> '%s' = ANY (:audit.key::text[])) AS owned"
/* A user's file also tells which of the rows that it returns are of another key than the one that
 * it returns with them. */
#define OWN_KEYS "src/engine/job/sql/own_keys.sql"
#define OWN_OTHER "src/engine/job/sql/own_other.sql"
#define THEN                                                                                       \
  "\n-- then:" /* the text behind it is further common table expressions, which read `applied` */

static char *
quoted_of (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "'", -1);
  return g_strjoinv ("''", parts);
}

/* NAME: of a statement. */
static gboolean
is_of_user (const char *name)
{
  return name[0] == '/';
}

/* The text of FILE with VALUE in the place of WORD; both are the program's own. */
static char *
filled (const char *file, const char *word, const char *value)
{
  g_autofree char *text = resource_sql (file, NULL);
  g_auto (GStrv) parts = g_strsplit (text, word, -1);
  return g_strjoinv (value, parts);
}

/* How the rows of a table are recorded; QUOTED: its name, as in a literal. */
static char *
secret_of (const char *name, const char *quoted)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, quoted, -1),
                  *setting = g_strdup_printf ("pruned.secret_%.16s", sum),
                  *text = filled (SECRET_SQL, "{setting}", setting);
  g_auto (GStrv) parts = g_strsplit (text, "{table}", -1);
  g_autofree char *secret = g_strjoinv (quoted, parts),
                  *keys = is_of_user (name) ? filled (OWN_KEYS, "{table}", quoted) : NULL;
  return keys != NULL ? g_strconcat (secret, ",\n", keys, NULL) : g_steal_pointer (&secret);
}

/* What is returned of each row, besides COLUMNS. */
static char *
columns_of (const char *name, const char *action, const char *columns)
{
  g_autofree char *other = is_of_user (name) ? filled (OWN_OTHER, "{action}", action) : NULL;
  return other != NULL ? g_strconcat (columns, ",\n", other, NULL) : g_strdup (columns);
}

const PgStatement *
job_files_audited (const char *name, const char *sql, const char *table, const char *action,
                   const char *columns, GError **error)
{
  const PgStatement *known = pg_statement_known (name);
  if (known != NULL)
    return known;
  const char *then = strstr (sql, THEN);
  g_autofree char *first = g_strndup (sql, then != NULL ? (gsize)(then - sql) : strlen (sql));
  g_autofree char *quoted = quoted_of (table), *secret = secret_of (name, quoted),
                  *returned = columns_of (name, action, columns),
                  *key = resource_sql (KEY_SQL, NULL);
  g_autofree char *text
      = g_strdup_printf (OF_ONE, first, secret, quoted, action, key, then != NULL ? "," : "",
                         then != NULL ? then : "", returned);
  return pg_statement_changing (name, text, table, error);
}

const PgStatement *
job_files_audited_owned (const char *name, const char *sql, const char *table, const char *action,
                         const char *owner, GError **error)
{
  const PgStatement *known = pg_statement_known (name);
  if (known != NULL)
    return known;
  g_autofree char *quoted
      = quoted_of (table),
      *column = quoted_of (owner), *secret = secret_of (name, quoted),
      *columns = g_strdup_printf (HOW_MANY_OWNED, column), *key = resource_sql (KEY_SQL, NULL),
      *text
      = g_strdup_printf (OF_OWNERS, sql, secret, quoted, action, key, column, "", "", columns);
  return pg_statement_changing (name, text, table, error);
}

gboolean
job_files_audited_many (const char *name, const char *sql, JobApply *apply, GError **error)
{
  g_autofree char *quoted = quoted_of (apply->table), *own = g_strconcat (name, "#many", NULL),
                  *secret = secret_of (name, quoted);
  const char *action = apply->kind == APPLY_UPDATE ? "updated" : "deleted";
  const char *owner = apply->owned ? "owner" : "key";
  g_autofree char *columns
      = columns_of (name, action, apply->owned ? "key, owner" : "key"),
      *key = resource_sql (KEY_SQL, NULL),
      *text = g_strdup_printf (OF_MANY, sql, secret, quoted, action, key, owner, "", "", columns);
  const PgStatement *many = apply->statement;
  if (apply->kind != APPLY_INSERT
      && (many = pg_statement_changing (own, text, apply->table, error)) == NULL)
    return FALSE;
  gboolean of_one = strstr (sql, THEN) != NULL || pg_statement_wants (many, "run_id")
                    || pg_statement_wants (many, "step");
  apply->many = of_one ? NULL : many;
  return TRUE;
}
