#include "store/s3_xml.h"

#include <string.h>

/* XML takes a carriage return for a line's end and some control characters for nothing at all: as references. */
static void
append_escaped (GString *xml, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  for (const char *p = escaped; *p != '\0'; p++)
    if (*p == '\r' || *p == '\n' || *p == '\t')
      g_string_append_printf (xml, "&#%d;", *p);
    else
      g_string_append_c (xml, *p);
}

GString *
s3_xml_delete (const GPtrArray *keys)
{
  GString *xml = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
                               "<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
  for (guint i = 0; i < keys->len; i++)
    {
      g_string_append (xml, "<Object><Key>");
      append_escaped (xml, keys->pdata[i]);
      g_string_append (xml, "</Key></Object>");
    }
  g_string_append (xml, "</Delete>");
  return xml;
}

void
s3_answer_clear (S3Answer *answer)
{
  g_clear_pointer (&answer->deleted, g_hash_table_unref);
  g_clear_pointer (&answer->errors, g_hash_table_unref);
  g_clear_pointer (&answer->code, g_free);
  g_clear_pointer (&answer->message, g_free);
}

typedef struct {
  S3Answer *answer;
  guint depth;
  gboolean in_error, in_deleted;
  GString *text;
  char *key, *code, *message;
} Reader;

static void
on_start (GMarkupParseContext *context, const char *name, const char **attributes, const char **values, gpointer data,
          GError **error)
{
  Reader *reader = data;
  reader->depth++;
  g_string_truncate (reader->text, 0);
  if (reader->depth == 1)
    {
      reader->answer->is_result = g_str_equal (name, "DeleteResult");
      reader->in_error = g_str_equal (name, "Error");
    }
  else if (reader->depth == 2 && reader->answer->is_result)
    {
      reader->in_error = g_str_equal (name, "Error");
      reader->in_deleted = g_str_equal (name, "Deleted");
    }
}

static void
keep (char **place, const GString *text)
{
  g_free (*place);
  *place = g_strdup (text->str);
}

static void
close_item (Reader *reader)
{
  char *key = g_steal_pointer (&reader->key);
  if (key != NULL && reader->in_deleted)
    g_hash_table_add (reader->answer->deleted, g_steal_pointer (&key));
  else if (key != NULL && reader->in_error)
    g_hash_table_insert (reader->answer->errors, g_steal_pointer (&key),
                         g_strdup_printf ("%s: %s", reader->code != NULL ? reader->code : "error",
                                          reader->message != NULL ? reader->message : ""));
  g_free (key);
  g_clear_pointer (&reader->code, g_free);
  g_clear_pointer (&reader->message, g_free);
}

static void
on_end (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  Reader *reader = data;
  if (g_str_equal (name, "Key"))
    keep (&reader->key, reader->text);
  else if (g_str_equal (name, "Code"))
    keep (&reader->code, reader->text);
  else if (g_str_equal (name, "Message"))
    keep (&reader->message, reader->text);
  else if (reader->depth == 2 && reader->answer->is_result)
    close_item (reader);
  else if (reader->depth == 1 && reader->in_error)
    {
      reader->answer->code = g_steal_pointer (&reader->code);
      reader->answer->message = g_steal_pointer (&reader->message);
    }
  reader->depth--;
}

static void
on_text (GMarkupParseContext *context, const char *text, gsize len, gpointer data, GError **error)
{
  g_string_append_len (((Reader *)data)->text, text, (gssize)len);
}

gboolean
s3_xml_parse (const char *body, gsize len, S3Answer *answer, char **why)
{
  static const GMarkupParser parser = { on_start, on_end, on_text, NULL, NULL };
  *answer = (S3Answer){ .deleted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                        .errors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  Reader reader = { .answer = answer, .text = g_string_new (NULL) };
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, &reader, NULL);
  g_autoptr (GError) error = NULL;
  gboolean ok = g_markup_parse_context_parse (context, body, (gssize)len, &error)
                && g_markup_parse_context_end_parse (context, &error);
  if (!ok)
    {
      *why = g_strdup (error->message);
      answer->is_result = FALSE;
    }
  g_markup_parse_context_free (context);
  g_string_free (reader.text, TRUE);
  g_free (reader.key);
  g_free (reader.code);
  g_free (reader.message);
  return ok;
}
