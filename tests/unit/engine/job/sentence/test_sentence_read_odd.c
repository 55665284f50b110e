/* Texts of a sentence that are refused because they could mean something else. The table is written
 * by hand. */
#include "engine/job/sentence/sentence_read.h"

#include "support/own_jobs.h"

#include <string.h>

/* What stands behind `table = t`, from line 3 on; `LINE: WHY`. */
static const OwnJobsCase ODD[] = {
  { "where = true; DELETE FROM t", "3: where: ';' cannot stand in an expression" },
  { "where = true -- all", "3: where: a comment ('--') cannot stand in an expression" },
  { "where = true /* all */", "3: where: a comment ('/*') cannot stand in an expression" },
  { "where = dead) OR (true", "3: where: ')' closes no bracket" },
  { "where = dead OR (true", "3: where: a bracket is not closed: ')' is missing" },
  { "where = dead OR true)", "3: where: ')' closes no bracket" },
  { "where = at < :Today",
    "3: where: unknown parameter ':Today': the only one is :T; a blank behind the colon makes it the end of a slice" },
  { "where = at < :t",
    "3: where: unknown parameter ':t': the only one is :T; a blank behind the colon makes it the end of a slice" },
  { "where = id = $1", "3: where: unknown parameter '$1': the only one is :T" },
  { "where = id = :id",
    "3: where: unknown parameter ':id': the only one is :T; a blank behind the colon makes it the end of a slice" },
  { "where = note = 'open", "3: where: a quote (') is not closed" },
  { "where = note = $$open", "3: where: a quote ($) is not closed" },
  { "where = note = E'it\\'", "3: where: a quote (') is not closed" },
  { "where = \"dead", "3: where: a quote (\") is not closed" },
  { "where = ", "3: where: the value is empty" },
  { "where = /* */ true", "3: where: a comment ('/*') cannot stand in an expression" },
  { "where = dead]", "3: where: ']' closes no bracket" },
  { "where = (dead]", "3: where: ']' closes no bracket" },
  { "where = true\nset = note = 'x'; DROP TABLE t", "4: set: ';' cannot stand in an expression" },
  { "where = true\nset = note = 'x' -- y",
    "4: set: a comment ('--') cannot stand in an expression" },
  { "where = true\nset = note", "4: set: 'note' is not 'column = value'" },
  { "where = true\nset = note = ", "4: set: note: the value is empty" },
  { "where = true\nset = note = 'a', ", "4: set: an item beside a comma is empty" },
  { "where = true\nset = note = 'a', note = 'b'", "4: set: the column note twice" },
  { "where = true\nset = note = :key",
    "4: set: unknown parameter ':key': the only one is :T; a blank behind the colon makes it the end of a slice" },
  { "where = true\nset = note = 'x') WHERE (true", "4: set: ')' closes no bracket" },
  { "where = true\nset = note = $1", "4: set: unknown parameter '$1': the only one is :T" },
  { "where = true\nset = ", "4: set: the value is empty" },
  { "keep = -1 by id",
    "3: keep: expected N [per column, ...] by column [desc], ... with N from 1 on" },
  { "keep = 1", "3: keep: expected N [per column, ...] by column [desc], ... with N from 1 on" },
  { "keep = many by id",
    "3: keep: expected N [per column, ...] by column [desc], ... with N from 1 on" },
  { "keep = 1 by id; DELETE FROM t", "3: keep: by: ';' cannot stand in an expression" },
  { "keep = 1 by id) OR (true", "3: keep: by: ')' closes no bracket" },
  { "keep = 1 per by id", "3: keep: per: the value is empty" },
  { "keep = 99999999999999999999 by id",
    "3: keep: expected N [per column, ...] by column [desc], ... with N from 1 on" },
  { "keep = 1.5 by id",
    "3: keep: expected N [per column, ...] by column [desc], ... with N from 1 on" },
  { "where = true\nchildren = a,, b", "4: children: an item beside a comma is empty" },
  { "where = true\nchildren = a(b", "4: children: a bracket is not closed: ')' is missing" },
  { "where = true\nchildren = a; b", "4: children: ';' cannot stand in an expression" },
  { "where = true\nchildren = a, a", "4: children: the table a twice" },
  { "where = true\nchildren = ", "4: children: the value is empty" },
  { "where = true\narchive = ", "4: archive: a name is missing" },
  { "where = true\naudit = none", "4: audit: expected full, keys or off, not 'none'" },
  { "where = true\narchive = a, b", "4: archive: 'a, b' is not a name: unexpected ', b'" },
  { "where = true\ntable = u", "4: 'table' in [retention] appears twice, first in line 2" },
  { "where = at < :T - interval '30'",
    "3: where: an interval of '30' is one of seconds: write the unit, '30 days'" },
  { "where = at < :T - INTERVAL  ' 1.5 ' AND dead",
    "3: where: an interval of ' 1.5 ' is one of seconds: write the unit, '30 days'" },
  { "where = at < :T - '30' :: interval",
    "3: where: an interval of '30' is one of seconds: write the unit, '30 days'" },
  { "where = true\nset = at = :T - interval '30'",
    "4: set: at: an interval of '30' is one of seconds: write the unit, '30 days'" },
};

/* A page that locks would not run read-only, and a function in it could change rows. */
static const OwnJobsCase LOCKS[] = {
  { "where = dead AND EXISTS (SELECT FROM t AS o FOR UPDATE)",
    "3: where: FOR UPDATE, SHARE or one of their kind: a condition locks no rows" },
  { "where = id IN (SELECT id FROM t AS o for share)",
    "3: where: FOR UPDATE, SHARE or one of their kind: a condition locks no rows" },
  { "where = EXISTS (SELECT FROM t AS o FOR NO KEY UPDATE SKIP LOCKED)",
    "3: where: FOR UPDATE, SHARE or one of their kind: a condition locks no rows" },
  { "where = true\nset = note = (SELECT o.note FROM t AS o LIMIT 1 FOR KEY SHARE)",
    "4: set: FOR UPDATE, SHARE or one of their kind: a condition locks no rows" },
  { "keep = 1 per (SELECT note FROM t AS o FOR UPDATE) by id",
    "3: keep: per: FOR UPDATE, SHARE or one of their kind: a condition locks no rows" },
  { "keep = 1 by (SELECT note FROM t AS o FOR SHARE)",
    "3: keep: by: FOR UPDATE, SHARE or one of their kind: a condition locks no rows" },
  { "keep = 1 by id\nwhere = EXISTS (SELECT FROM t AS o FOR UPDATE OF o NOWAIT)",
    "4: where: FOR UPDATE, SHARE or one of their kind: a condition locks no rows" },
  { "where = note = 'FOR UPDATE' AND substring(note for 2) = 'FO'", NULL },
};

static void
assert_all (const OwnJobsCase *cases, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *text = g_strconcat ("[retention]\ntable = t\n", cases[i].text, "\n", NULL),
                    *want = g_strconcat ("wrong.conf:", cases[i].want, NULL);
    const OwnJobsCase one = { text, cases[i].want != NULL ? want : NULL };
    own_jobs_sections (&one, 1);
  }
}

static void
test_text_that_is_refused (void)
{
  assert_all (ODD, G_N_ELEMENTS (ODD));
}

static void
test_a_condition_locks_no_rows (void)
{
  assert_all (LOCKS, G_N_ELEMENTS (LOCKS));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sentence_read/odd", test_text_that_is_refused);
  g_test_add_func ("/sentence_read/locks", test_a_condition_locks_no_rows);
  return config_test_run ();
}
