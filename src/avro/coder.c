#include "avro/coder.h"
#include "base/error.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  avro_schema_t schema; /* NULL: not made yet */
  avro_value_iface_t *class;
  avro_value_t value;
} Coder;

typedef struct {
  avro_writer_t writer;
  guint n_coders;
  Coder coders[];
} CoderSet;

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

void
coder_must (int result)
{
  if (result != 0)
    g_error ("avro-c: %s", avro_strerror ());
}

static void
free_set (void *data)
{
  CoderSet *set = data;
  pthread_mutex_lock (&making);
  for (guint i = 0; i < set->n_coders; i++) {
    Coder *coder = &set->coders[i];
    if (coder->schema == NULL)
      continue;
    avro_value_decref (&coder->value);
    avro_value_iface_decref (coder->class);
    avro_schema_decref (coder->schema);
  }
  avro_writer_free (set->writer);
  pthread_mutex_unlock (&making);
  g_free (set);
}

/* Frees the set of the thread that ends the process: no destructor of a thread key runs for it.
 * Else a leak checker reports the set, because avro-c packs its pointers. */
static void
free_last_set (void)
{
  CoderSet *set = pthread_getspecific (key);
  if (set != NULL)
    free_set (set);
  pthread_setspecific (key, NULL);
}

static void
make_key (void)
{
  g_assert (pthread_key_create (&key, free_set) == 0);
  g_assert (atexit (free_last_set) == 0);
}

static CoderSet *
this_threads_set (void)
{
  pthread_once (&key_once, make_key);
  CoderSet *set = pthread_getspecific (key);
  if (set != NULL)
    return set;
  set = g_malloc0 (sizeof *set + records_count () * sizeof *set->coders);
  set->n_coders = records_count ();
  set->writer = avro_writer_memory ("", 0);
  g_assert (set->writer != NULL);
  g_assert (pthread_setspecific (key, set) == 0);
  return set;
}

static void
make_coder (Coder *coder, const Schema *schema)
{
  pthread_mutex_lock (&making);
  if (avro_schema_from_json_length (schema->text, strlen (schema->text), &coder->schema) != 0)
    g_error ("%s: %s", schema->name, avro_strerror ());
  coder->class = avro_generic_class_from_schema (coder->schema);
  if (coder->class == NULL || avro_generic_value_new (coder->class, &coder->value) != 0)
    g_error ("%s: %s", schema->name, avro_strerror ());
  pthread_mutex_unlock (&making);
}

avro_value_t *
coder_value (const Schema *schema)
{
  Coder *coder = &this_threads_set ()->coders[schema->index];
  if (coder->schema == NULL)
    make_coder (coder, schema);
  else
    avro_value_reset (&coder->value);
  return &coder->value;
}

/* Neither call can fail: the value is complete, and the buffer has the size that avro-c
 * reported. */
void
coder_write (avro_value_t *value, GByteArray *out)
{
  size_t size;
  guint start = out->len;
  avro_writer_t writer = this_threads_set ()->writer;
  coder_must (avro_value_sizeof (value, &size));
  g_byte_array_set_size (out, start + size);
  avro_writer_memory_set_dest (writer, (const char *)out->data + start, size);
  coder_must (avro_value_write (writer, value));
}
