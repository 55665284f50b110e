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
 * at once: the step sees how many bytes they are, and is rolled back (step/pace.h). Of narrow
 * rows it gets NULL, which costs least. Every function here is PostgreSQL's or the schema's own, so
 * functions that belong to a column's type are not called. */
#define SECRET_SQL "src/engine/job/sql/secret.sql"
#define KEY_SQL "src/engine/job/sql/audited_key.sql"
/* Each statement has a sibling, which also reads its records back (step/read_back.h), and which
 * fails to do so for no row that it has not recorded: then its `audit_bytes` are negative. */
#define BACK_SECRET_SQL "src/engine/job/sql/read_back_secret.sql"
#define BACK_SQL "src/engine/job/sql/read_back.sql"
#define BACK_N ", pg_catalog.count(*) AS n"
#define BACK_RECORDED " RETURNING pg_catalog.jsonb_array_length(keys) AS n, rows"
#define BACK_UNRECORDED                                                                            \
  " WHEN n IS DISTINCT FROM (SELECT pg_catalog.sum(a.n) FROM audit a) AND n > 0"                   \
  " AND (SELECT how FROM secret) <> 'off' THEN -1"
/* Behind its end: what is answered besides the columns, once for all rows. */
#define AUDITED                                                                                                                                                        \
  "WITH applied AS (%s\n), %s,"                                                                                                                                        \
  " weighed AS (SELECT coalesce(pg_catalog.sum(pg_catalog.pg_column_size(w.row)), 0) AS bytes%s FROM applied w),"                                                      \
  " audit AS (INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows%s)"                                                                           \
  " SELECT (:audit.run_id::uuid[])[k.n], (:audit.step::int[])[k.n], '%s', '%s', pg_catalog.to_jsonb(pg_catalog.array_agg(\n%s)),"                                      \
  " CASE WHEN (SELECT how FROM secret) = 'full' THEN pg_catalog.to_jsonb(pg_catalog.array_agg(a.row - (SELECT names FROM secret))) END%s"                              \
  " FROM applied a, LATERAL (SELECT pg_catalog.to_jsonb(a.key) AS key, CASE WHEN :audit.of::jsonb IS NULL THEN 1 ELSE (:audit.of::jsonb ->> (%s))::int END AS n) AS k" \
  " WHERE k.n IS NOT NULL AND (SELECT how FROM secret) <> 'off' AND (SELECT bytes <= :page_bytes::bigint FROM weighed) GROUP BY k.n"                                   \
  "%s)%s%s"                                                                                                                                                            \
  " SELECT %s, (SELECT CASE WHEN bytes > LEAST(:page_bytes::bigint / 16, 1048576) THEN bytes%s END FROM weighed) AS audit_bytes%s FROM applied"
/* Where a name stands that says whose the row is. */
#define BY "pg_catalog.format('%%s', a.%s)"
#define BY_COLUMN "a.row ->> '%s'"
#define HOW_MANY_OWNED                                                                             \
  "pg_catalog.count(*) AS n, pg_catalog.count(*) FILTER"                                           \
  " (WHERE pg_catalog.jsonb_exists(:audit.of::jsonb, row ->> '%s')) AS owned"
/* A user's file also tells which of the rows that it returns are of another key than the one that
 * it returns with them. */
#define OWN_KEYS "src/engine/job/sql/own_keys.sql"
#define OWN_OTHER "src/engine/job/sql/own_other.sql"
/* A whole row in the text of a statement of a built-in job, and how its sibling records it. */
#define BUILT_IN "src/jobs/"
#define WHOLE_ROW "pg_catalog\\.to_jsonb\\((\\w+)\\.\\*\\)"
#define RECORDED_SQL "src/engine/job/sql/recorded.sql"
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

typedef struct {
  const char *name, *sql, *table, *action;
  const char *columns;    /* what is returned */
  const char *by;         /* the name of what a row is of, in `audit.of` */
  const char *unrecorded; /* what is answered if not all are recorded; of the sibling */
} Audited;

/* SQL, but the rows of a built-in job are recorded with texts where JSON is another value. A
 * sentence is made with them, and a user's file has them itself. */
static char *
recorded_in (const char *name, const char *sql, const char *quoted)
{
  if (!g_str_has_prefix (name, BUILT_IN))
    return g_strdup (sql);
  g_autofree char *recorded = filled (RECORDED_SQL, "{table}", quoted);
  g_strchomp (recorded);
  g_autoptr (GRegex) whole = g_regex_new (WHOLE_ROW, 0, 0, NULL);
  return g_regex_replace (whole, sql, -1, 0, recorded, 0, NULL);
}

/* How the rows of a table are recorded; QUOTED: its name, as in a literal. */
static char *
secret_of (const char *name, const char *quoted, gboolean reads_back)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, quoted, -1),
                  *setting
                  = g_strdup_printf ("pruned.%s_%.16s", reads_back ? "read" : "secret", sum),
                  *text = filled (reads_back ? BACK_SECRET_SQL : SECRET_SQL, "{setting}", setting);
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

static char *
text_of (const Audited *a, gboolean reads_back)
{
  const char *then = strstr (a->sql, THEN);
  g_autofree char *quoted = quoted_of (a->table), *key = resource_sql (KEY_SQL, NULL),
                  *secret = secret_of (a->name, quoted, reads_back),
                  *whole = then != NULL ? g_strndup (a->sql, (gsize)(then - a->sql)) : NULL,
                  *first = g_strdup (whole != NULL ? whole : a->sql),
                  *back = filled (BACK_SQL, "{table}", quoted);
  if (reads_back) {
    g_autofree char *plain = g_steal_pointer (&first);
    first = recorded_in (a->name, plain, quoted);
  }
  const gboolean in_file = g_str_has_suffix (a->sql, JOB_FILES_IN_FILE);
  return g_strdup_printf (
      AUDITED, first, secret, reads_back ? BACK_N : "", in_file ? ", archived_in" : "", quoted,
      a->action, key, in_file ? ", :archived_in::text" : "", a->by, reads_back ? BACK_RECORDED : "",
      then != NULL ? "," : "", then != NULL ? then : "", a->columns,
      reads_back ? a->unrecorded : "", reads_back ? back : "");
}

/* The statement, with its sibling. */
static const PgStatement *
made (const Audited *a, GError **error)
{
  g_autofree char *text = text_of (a, FALSE), *sibling = text_of (a, TRUE),
                  *name = g_strconcat (a->name, JOB_FILES_READ_BACK, NULL);
  return pg_statement_changing (name, sibling, a->table, error) != NULL
             ? pg_statement_changing (a->name, text, a->table, error)
             : NULL;
}

const PgStatement *
job_files_audited (const char *name, const char *sql, const char *table, const char *action,
                   const char *columns, const char *owner, GError **error)
{
  const PgStatement *known = pg_statement_known (name);
  if (known != NULL)
    return known;
  g_autofree char *column
      = owner != NULL ? quoted_of (owner) : NULL,
      *returned = owner != NULL ? g_strdup_printf (HOW_MANY_OWNED, column)
                                : columns_of (name, action, columns),
      *by
      = owner != NULL
            ? g_strdup_printf (BY_COLUMN, column)
            : g_strdup_printf (BY, g_str_equal (columns, JOB_FILES_WITH_OWNER) ? "owner" : "key");
  const Audited audited
      = { name, sql, table, action, returned, by, owner != NULL ? "" : BACK_UNRECORDED };
  return made (&audited, error);
}

gboolean
job_files_reads_applied (const char *sql)
{
  return strstr (sql, THEN) != NULL;
}
