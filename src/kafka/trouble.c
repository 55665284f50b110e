#include "kafka/trouble.h"
#include <pthread.h>
#include <stdatomic.h>

struct _Trouble {
  pthread_mutex_t lock;
  GTree *texts;      /* subject -> text, under lock */
  atomic_uint count; /* of texts: makes trouble_clear cheap while there are none */
};

static int
compare_subjects (gconstpointer a, gconstpointer b, gpointer data)
{
  return g_strcmp0 (a, b);
}

Trouble *
trouble_new (void)
{
  Trouble *self = g_new0 (Trouble, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->texts = g_tree_new_full (compare_subjects, NULL, g_free, g_free);
  return self;
}

void
trouble_free (Trouble *self)
{
  if (self == NULL)
    return;
  g_tree_destroy (self->texts);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

void
trouble_set (Trouble *self, const char *subject, const char *text)
{
  pthread_mutex_lock (&self->lock);
  g_tree_replace (self->texts, g_strdup (subject), g_strdup (text));
  atomic_store (&self->count, g_tree_nnodes (self->texts));
  pthread_mutex_unlock (&self->lock);
}

void
trouble_clear (Trouble *self, const char *subject)
{
  if (!trouble_any (self))
    return;
  pthread_mutex_lock (&self->lock);
  g_tree_remove (self->texts, subject);
  atomic_store (&self->count, g_tree_nnodes (self->texts));
  pthread_mutex_unlock (&self->lock);
}

gboolean
trouble_any (Trouble *self)
{
  return atomic_load (&self->count) > 0;
}

static gboolean
add_subject (gpointer subject, gpointer text, gpointer out)
{
  g_ptr_array_add (out, g_strdup (subject));
  return FALSE;
}

GPtrArray *
trouble_subjects (Trouble *self)
{
  GPtrArray *subjects = g_ptr_array_new_with_free_func (g_free);
  pthread_mutex_lock (&self->lock);
  g_tree_foreach (self->texts, add_subject, subjects);
  pthread_mutex_unlock (&self->lock);
  return subjects;
}

static gboolean
add_text (gpointer subject, gpointer text, gpointer data)
{
  GString *out = data;
  g_string_append_printf (out, "%s%s", out->len > 0 ? "; " : "", (const char *)text);
  return FALSE;
}

char *
trouble_text (Trouble *self)
{
  if (!trouble_any (self))
    return NULL;
  GString *out = g_string_new (NULL);
  pthread_mutex_lock (&self->lock);
  g_tree_foreach (self->texts, add_text, out);
  pthread_mutex_unlock (&self->lock);
  return g_string_free (out, out->len == 0);
}
