#include "engine/job/sentence/sentence_below_private.h"

#include "base/plural.h"

void
below_free (Below *below)
{
  if (below == NULL)
    return;
  GPtrArray *arrays[]
      = { below->edges, below->selves, below->loose, below->empties, below->order, below->said };
  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_ptr_array_unref (arrays[i]);
  g_free (below);
}

/* --- which foreign keys are followed --- */

static gboolean
has_columns (const CatKey *key, char **columns)
{
  if (g_strv_length (columns) != key->from->len)
    return FALSE;
  for (guint i = 0; i < key->from->len; i++)
    if (catalogue_column (key->child, columns[i]) != key->from->pdata[i])
      return FALSE;
  return TRUE;
}

/* Whether the sentence names the child of KEY, and its columns if it names some. */
static gboolean
is_listed (const Below *below, const CatKey *key)
{
  const GPtrArray *children = below->sentence->children;
  for (guint i = 0; children != NULL && i < children->len; i++) {
    const SentenceChild *child = children->pdata[i];
    if (catalogue_asked (below->catalogue, child->table) == key->child
        && (child->columns == NULL || has_columns (key, child->columns)))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_followed (const Below *below, const CatKey *key)
{
  if (key->deltype == 'c' || key->deltype == '\0' || is_listed (below, key))
    return TRUE;
  return below->sentence->children_auto && (key->deltype == 'a' || key->deltype == 'r');
}

/* The row that KEY refers to stays (`set`): only rows of children go that the sentence names. */
static gboolean
is_left (const Below *below, const CatKey *key)
{
  return below->sentence->kind == SENTENCE_SET && key->parent == below->root && key->deltype != '\0'
         && !is_listed (below, key);
}

/* How PostgreSQL would compare KEY, a column of the primary key, with a column CHILD that a foreign
 * key makes refer to it; NULL: as a sentence would, since their types differ. */
static char *
operator_of_key (const CatColumn *key, const CatColumn *child)
{
  return g_str_equal (key->type, child->type) ? g_strdup (key->signs[CAT_EQUAL]) : NULL;
}

/* A child whose columns the sentence names, and that no foreign key names. */
static char *
add_said (Below *below, const SentenceChild *child)
{
  const CatTable *table = catalogue_asked (below->catalogue, child->table);
  for (guint i = 0; i < below->catalogue->keys->len; i++) {
    const CatKey *key = below->catalogue->keys->pdata[i];
    if (key->child == table && (child->columns == NULL || has_columns (key, child->columns)))
      return NULL;
  }
  if (child->columns == NULL)
    return g_strdup_printf (
        "children: %s has no foreign key to %s: write %s(column), with the column that holds its key",
        child->table, below->root->name, child->table);
  CatKey *key = g_new0 (CatKey, 1);
  g_ptr_array_add (below->said, key);
  *key = (CatKey){ .child = table,
                   .parent = below->root,
                   .from = g_ptr_array_new (),
                   .emptied = g_ptr_array_new (),
                   .loosens = g_ptr_array_new (),
                   .operators = g_ptr_array_new_with_free_func (g_free),
                   .to = g_ptr_array_ref (below->root->key) };
  for (char **name = child->columns; *name != NULL; name++) {
    const CatColumn *column = catalogue_column (table, *name);
    if (column == NULL) {
      g_autofree char *why = catalogue_no_column (table, *name);
      return g_strconcat ("children: ", why, NULL);
    }
    if (key->from->len < key->to->len)
      g_ptr_array_add (key->operators, operator_of_key (key->to->pdata[key->from->len], column));
    g_ptr_array_add (key->from, (gpointer)column);
  }
  if (key->from->len != key->to->len)
    return g_strdup_printf ("children: %s: the key of %s has %u %s", child->table,
                            below->root->name, key->to->len,
                            plural (key->to->len, "column", "columns"));
  return NULL;
}

/* --- the order --- */

static const CatKey *
key_at (const Below *below, guint i)
{
  const GPtrArray *keys = below->catalogue->keys;
  return i < keys->len ? keys->pdata[i] : below->said->pdata[i - keys->len];
}

/* What cannot be counted is passed over. */
static gboolean
is_passed_over (const Below *below, const CatKey *key)
{
  return below->counts
         && (!catalogue_is_seen (key->child)
             || (key->child == key->parent && key->child->key->len == 0));
}

/* Children first. OPEN: the tables on the way to TABLE. */
static void
visit (Below *below, const CatTable *table, GPtrArray *open)
{
  g_ptr_array_add (open, (gpointer)table);
  for (guint i = 0; i < below->catalogue->keys->len + below->said->len; i++) {
    const CatKey *key = key_at (below, i);
    if (key->parent != table || is_left (below, key) || is_passed_over (below, key))
      continue;
    if (!is_followed (below, key)) {
      if (key->deltype == 'n' || key->deltype == 'd')
        g_ptr_array_add (below->empties, (gpointer)key);
      continue;
    }
    if (key->child == table)
      g_ptr_array_add (below->selves, (gpointer)key);
    else if (g_ptr_array_find (open, key->child, NULL))
      g_ptr_array_add (below->loose, (gpointer)key);
    else {
      g_ptr_array_add (below->edges, (gpointer)key);
      if (!g_ptr_array_find (below->order, key->child, NULL))
        visit (below, key->child, open);
    }
  }
  g_ptr_array_remove_index (open, open->len - 1);
  g_ptr_array_add (below->order, (gpointer)table);
}

/* A row that is to stay must not go with a row below it. */
static char *
check_stays (const Below *below)
{
  const GPtrArray *all[] = { below->selves, below->loose };
  for (guint a = 0; below->sentence->kind == SENTENCE_SET && a < G_N_ELEMENTS (all); a++)
    for (guint i = 0; i < all[a]->len; i++) {
      const CatKey *key = all[a]->pdata[i];
      if (key->child == below->root)
        return g_strdup_printf ("children: rows of %s stay (set), and would go with rows of %s by"
                                " %s",
                                below->root->name, key->parent->name, key->name);
    }
  return NULL;
}

static char *
check_loose (const Below *below)
{
  for (guint i = 0; i < below->loose->len; i++) {
    const CatKey *key = below->loose->pdata[i];
    gboolean defers = key->deltype == 'a' && key->deferrable;
    if (!defers && (key->loosens->len == 0 || key->deltype == 'c' || key->child->key->len == 0))
      return g_strdup_printf ("%s and %s refer to each other in a circle, which %s closes: it can "
                              "neither be deferred nor emptied",
                              key->child->name, key->parent->name, key->name);
  }
  return NULL;
}

/* Beside other tables `auto` could be meant as one of them. */
static char *
check_auto (const Below *below)
{
  const Sentence *sentence = below->sentence;
  for (guint i = 0; sentence->children_auto && i < below->catalogue->tables->len; i++) {
    const CatTable *table = below->catalogue->tables->pdata[i];
    if (sentence->children->len > 0 && g_strcmp0 (table->own, "auto") == 0 && table->asked == NULL)
      return g_strdup_printf ("children: auto is a table, too: write %s for it", "\"auto\"");
  }
  return NULL;
}

static char *
check_said_children (const Below *below)
{
  char *ambiguous = check_auto (below);
  if (ambiguous != NULL)
    return ambiguous;
  for (guint i = 0; below->sentence->children != NULL && i < below->sentence->children->len; i++) {
    const SentenceChild *child = below->sentence->children->pdata[i];
    const CatTable *table = catalogue_asked (below->catalogue, child->table);
    if (table == NULL || table->kind == '\0')
      return g_strdup_printf ("children: there is no table %s", child->table);
    if (table == below->root && below->sentence->kind == SENTENCE_SET)
      return g_strdup_printf ("children: %s is the job's own table, whose rows stay (set)",
                              child->table);
    char *refusal = add_said ((Below *)below, child);
    if (refusal != NULL)
      return refusal;
  }
  return NULL;
}

static char *
check_order (const Below *below)
{
  for (guint i = 0; below->sentence->children != NULL && i < below->sentence->children->len; i++) {
    const SentenceChild *child = below->sentence->children->pdata[i];
    if (!g_ptr_array_find (below->order, catalogue_asked (below->catalogue, child->table), NULL))
      return g_strdup_printf ("children: %s has no foreign key to %s, nor to another child",
                              child->table, below->root->name);
  }
  for (guint i = 0; i < below->order->len; i++) {
    const CatTable *table = below->order->pdata[i];
    if (table->kind != 'r' && table->kind != 'p')
      return g_strdup_printf ("%s%s is no table", table->asked != NULL ? "children: " : "",
                              table->name);
  }
  for (guint i = 0; i < below->selves->len; i++)
    if (((CatKey *)below->selves->pdata[i])->child->key->len == 0)
      return g_strdup_printf ("%s has no primary key",
                              ((CatKey *)below->selves->pdata[i])->child->name);
  for (guint i = 0; i < below->empties->len; i++)
    if (((CatKey *)below->empties->pdata[i])->child->key->len == 0)
      return g_strdup_printf ("%s has no primary key",
                              ((CatKey *)below->empties->pdata[i])->child->name);
  char *goes = check_stays (below);
  return goes != NULL ? goes : check_loose (below);
}

static Below *
below_empty (const Sentence *sentence, const Catalogue *catalogue, Words *words)
{
  Below *below = g_new0 (Below, 1);
  *below = (Below){ .sentence = sentence,
                    .catalogue = catalogue,
                    .root = catalogue->tables->pdata[0],
                    .words = words,
                    .said = g_ptr_array_new_with_free_func (catalogue_key_free),
                    .edges = g_ptr_array_new (),
                    .selves = g_ptr_array_new (),
                    .loose = g_ptr_array_new (),
                    .empties = g_ptr_array_new (),
                    .order = g_ptr_array_new () };
  return below;
}

Below *
below_new (const Sentence *sentence, const Catalogue *catalogue, Words *words, char **refusal)
{
  g_autoptr (Below) below = below_empty (sentence, catalogue, words);
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  if ((*refusal = check_said_children (below)) != NULL)
    return NULL;
  visit (below, below->root, open);
  if ((*refusal = check_order (below)) != NULL)
    return NULL;
  return g_steal_pointer (&below);
}

Below *
below_foresee (const Sentence *sentence, const Catalogue *catalogue, Words *words)
{
  Below *below = below_empty (sentence, catalogue, words);
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  below->counts = TRUE;
  visit (below, below->root, open);
  return below;
}

gboolean
below_is_empty (const Below *below)
{
  return below->edges->len + below->selves->len + below->empties->len == 0;
}
