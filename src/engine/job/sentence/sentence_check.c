#include "engine/job/sentence/sentence_check.h"

#include "engine/job/sentence/sentence_by.h"
#include "engine/job/sentence/sentence_remember.h"
#include "engine/job/sentence/sql_text.h"

#include <string.h>

typedef struct {
  const Sentence *sentence;
  const Catalogue *catalogue;
  const CatTable *table;
  char *refusal; /* the first one; NULL: none */
} Checker;

static void refuse (Checker *checker, const char *format, ...) G_GNUC_PRINTF (2, 3);
static void
refuse (Checker *checker, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  if (checker->refusal == NULL)
    checker->refusal = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

/* KEY of the sentence names COLUMN, which TABLE lacks. */
static void
refuse_column (Checker *checker, const char *key, const CatTable *table, const char *column)
{
  g_autofree char *why = catalogue_no_column (table, column);
  refuse (checker, "%s: %s", key, why);
}

/* KEY: `archive: `, or "" of the own table. */
static gboolean
check_kind (Checker *checker, const char *key, const char *name, const CatTable *table)
{
  const char *is = NULL;
  switch (table != NULL ? table->kind : '\0') {
  case 'r':
  case 'p':
    return TRUE;
  case '\0':
    refuse (checker, "%sthere is no table %s", key, name);
    return FALSE;
  case 'v':
    is = "a view: name the table that its rows are in";
    break;
  case 'm':
    is = "a materialized view: name the table that its rows come from";
    break;
  case 'f':
    is = "a foreign table: let a job on its own server remove its rows";
    break;
  default:
    is = "no table";
  }
  refuse (checker, "%s%s is %s", key, name, is);
  return FALSE;
}

static void
check_each_table (Checker *checker)
{
  for (guint i = 0; i < checker->catalogue->tables->len; i++) {
    const CatTable *table = checker->catalogue->tables->pdata[i];
    if (table->beside)
      continue;
    if (table->hidden)
      refuse (checker, SENTENCE_HIDDEN "%s from this role: give it BYPASSRLS", table->name);
    if (table->ours)
      refuse (checker, "%s is a table of the database or of pruned itself", table->name);
    if (table->inherited)
      refuse (checker,
              "other tables inherit from %s: their rows would go with its own, and come back to it",
              table->name);
    if (table->partly != NULL)
      refuse (
          checker,
          "%s refers to a partition of %s: its rows would go unrecorded; let a sentence name the partition",
          table->partly, table->name);
  }
}

static void
check_set (Checker *checker)
{
  for (guint i = 0; checker->sentence->set != NULL && i < checker->sentence->set->len; i++) {
    const SentenceSet *set = checker->sentence->set->pdata[i];
    const CatColumn *column = catalogue_column (checker->table, set->column);
    if (column == NULL)
      refuse_column (checker, "set", checker->table, set->column);
    else if (g_ptr_array_find (checker->table->key, column, NULL))
      refuse (checker, "set: %s is part of the primary key of %s and cannot be set", set->column,
              checker->table->name);
    else if (column->made)
      refuse (checker, "set: %s is generated from other columns and cannot be set", set->column);
    else if (column->emptied != NULL)
      refuse (checker, "set: %s refers to %s: ON UPDATE would empty its rows, unrecorded",
              column->emptied, set->column);
  }
}

/* Values of one type can be compared with those of the other. */
static gboolean
same_family (const char *one, const char *other)
{
  static const char *const families[][4] = { { "int2", "int4", "int8" }, { "text", "varchar" } };
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (g_strv_contains (families[i], one) && g_strv_contains (families[i], other))
      return TRUE;
  return g_str_equal (one, other);
}

/* Whether every value of COLUMN stays as it is in THERE. PostgreSQL cuts and rounds some types in
 * silence when it stores a value: numbers to fewer digits, times to fewer parts. */
static gboolean
keeps_all (const CatColumn *column, const CatColumn *there)
{
  static const char *const wider[][2]
      = { { "int2", "int4" },    { "int2", "int8" },    { "int4", "int8" },
          { "int2", "numeric" }, { "int4", "numeric" }, { "int8", "numeric" },
          { "float4", "float8" } };
  if (g_str_equal (column->declared, there->declared) || g_str_equal (there->type, "text"))
    return TRUE;
  if (g_str_equal (column->type, there->type)) /* a text that is too long is an error */
    return !there->cuts || g_str_equal (there->type, "varchar");
  for (guint i = 0; i < G_N_ELEMENTS (wider); i++)
    if (g_str_equal (column->type, wider[i][0]) && g_str_equal (there->type, wider[i][1]))
      return !there->cuts;
  return g_str_equal (column->type, "text") && g_str_equal (there->type, "varchar");
}

static void
check_archived (Checker *checker, const CatTable *archive, const CatColumn *column)
{
  const CatColumn *there = catalogue_column (archive, column->quoted);
  const char *name = checker->sentence->archive;
  if (there == NULL)
    refuse (checker, "archive: the archive %s has no column %s", name, column->quoted);
  else if (there->made && !column->made)
    refuse (checker, "archive: %s is generated in the archive %s: it would be lost", column->quoted,
            name);
  else if (g_ptr_array_find (checker->table->key, column, NULL)
           && !same_family (column->type, there->type))
    refuse (checker,
            "archive: %s is %s, and %s in the archive %s: `restore` could not find the row there",
            column->quoted, column->type, there->type, name);
  else if (!keeps_all (column, there))
    refuse (checker,
            "archive: %s is %s, and %s in the archive %s, which can cut or round its values",
            column->quoted, column->declared, there->declared, name);
}

static void
check_archive (Checker *checker)
{
  const char *name = checker->sentence->archive;
  const CatTable *archive = catalogue_asked (checker->catalogue, name);
  if (!check_kind (checker, "archive: ", name, archive))
    return;
  if (g_strcmp0 (archive->root, checker->table->root) == 0)
    refuse (checker, "archive: the archive %s is a part of %s, or the same", name,
            checker->table->name);
  if (archive->catches != NULL)
    refuse (checker, "archive: the archive %s has %s, which can keep rows away from it", name,
            archive->catches);
  for (guint i = 0; i < checker->table->columns->len; i++)
    check_archived (checker, archive, checker->table->columns->pdata[i]);
}

static void
check_keep (Checker *checker)
{
  const SentenceKeep *keep = &checker->sentence->keep;
  for (char **per = keep->per; *per != NULL; per++)
    if (catalogue_column (checker->table, *per) == NULL)
      refuse_column (checker, "keep", checker->table, *per);
  for (char **by = keep->by; *by != NULL; by++) {
    g_autoptr (GError) error = NULL;
    const char *at = *by;
    g_autofree char *name = sql_text_name (&at, 1, &error);
    if (catalogue_column (checker->table, name) == NULL)
      refuse_column (checker, "keep", checker->table, name);
  }
}

static void
check_due (Checker *checker)
{
  const Sentence *sentence = checker->sentence;
  const char *name = sentence->due;
  const CatColumn *column = name != NULL ? catalogue_column (checker->table, name) : NULL;
  if (name != NULL && column == NULL)
    refuse_column (checker, "due", checker->table, name);
  else if (column != NULL && sentence->due_age != NULL && !g_str_equal (column->type, "date")
           && !g_str_has_prefix (column->type, "timestamp")
           && (sentence->due_unit == NULL || !g_str_has_prefix (column->type, "int")
               || g_str_equal (column->type, "interval")))
    refuse (checker, "due: %s is %s: a date, a time, or a whole number with due_unit", name,
            column->declared);
}

/* The texts of objects' keys are compared as they are. */
static void
check_object (Checker *checker)
{
  const char *name = checker->sentence->object_column;
  const CatColumn *column = catalogue_column (checker->table, name);
  if (column == NULL)
    refuse_column (checker, "object", checker->table, name);
  else if (!g_str_equal (column->type, "text") && !g_str_equal (column->type, "varchar"))
    refuse (checker, "object: %s is %s: the key of an object must be text or varchar", name,
            column->declared);
}

static void
check_by (Checker *checker)
{
  g_autofree char *why = sentence_by_refusal (checker->sentence, checker->table);
  if (why != NULL)
    refuse (checker, "%s", why);
}

static void
check_born (Checker *checker)
{
  g_autofree char *why = sentence_born_refusal (checker->sentence, checker->table);
  if (why != NULL)
    refuse (checker, "%s", why);
}

/* PostgreSQL refuses changes of a function that is not volatile. */
static void
check_calls (Checker *checker)
{
  const char *const called[][2] = { { "where", checker->catalogue->changes },
                                    { "deadline", checker->catalogue->unless_changes } };
  for (guint i = 0; i < G_N_ELEMENTS (called); i++)
    if (called[i][1] != NULL)
      refuse (checker,
              "%s: %s is VOLATILE: it may change rows, and a condition may not; if it changes "
              "nothing, declare it STABLE: ALTER FUNCTION %s STABLE",
              called[i][0], called[i][1], called[i][1]);
}

static void
check_operators (Checker *checker)
{
  if (checker->catalogue->hidden != NULL)
    refuse (checker, "%s", checker->catalogue->hidden);
}

char *
sentence_refusal (const Sentence *sentence, const Catalogue *catalogue)
{
  Checker one = { sentence, catalogue, catalogue->tables->pdata[0], NULL }, *checker = &one;
  if (!check_kind (checker, "", sentence->table, checker->table))
    return checker->refusal;
  if (checker->table->key->len == 0)
    refuse (checker, "%s has no primary key", checker->table->name);
  check_keep (checker);
  check_each_table (checker);
  check_set (checker);
  check_due (checker);
  check_by (checker);
  check_born (checker);
  check_calls (checker);
  check_operators (checker);
  if (sentence->kind == SENTENCE_ARCHIVE)
    check_archive (checker);
  if (sentence->object_column != NULL)
    check_object (checker);
  return checker->refusal;
}
