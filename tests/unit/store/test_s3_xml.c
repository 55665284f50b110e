#include "store/s3_xml.h"

#include <string.h>

static const char ANSWER[]
    = "<?xml version=\"1.0\"?><DeleteResult xmlns=\"x\"><Deleted><Key>a &amp; &#xFC; \xC3\xBC</Key></Deleted>"
      "<Error><Key>b&#10;c</Key><Code>AccessDenied</Code><Message>not <![CDATA[<yours>]]></Message></Error>"
      "<Deleted><VersionId>1</VersionId><Key>d</Key></Deleted></DeleteResult>";

/* Reads the first LEN bytes of TEXT in pieces of SIZE bytes. */
static gboolean
read_in_pieces (const char *text, gsize len, gsize size, S3Answer *answer, char **why)
{
  S3Reader *reader = s3_reader_new ();
  for (gsize at = 0; at < len; at += size)
    s3_reader_feed (reader, text + at, MIN (size, len - at));
  return s3_reader_end (reader, answer, why);
}

static void
test_an_answer_in_pieces_is_the_answer (void)
{
  for (gsize size = 1; size <= sizeof ANSWER; size++) {
    S3Answer answer;
    char *why = NULL;
    g_assert_true (read_in_pieces (ANSWER, strlen (ANSWER), size, &answer, &why));
    g_assert_null (why);
    g_assert_true (answer.is_result && !answer.is_html && answer.code == NULL);
    g_assert_cmpuint (g_hash_table_size (answer.deleted), ==, 3); /* of `d` also its version */
    g_assert_true (g_hash_table_contains (answer.deleted, "1\nd"));
    g_assert_cmpuint (g_hash_table_size (answer.marked), ==, 0);
    g_assert_true (g_hash_table_contains (answer.deleted, "a & \xC3\xBC \xC3\xBC")
                   && g_hash_table_contains (answer.deleted, "d"));
    g_assert_cmpuint (g_hash_table_size (answer.errors), ==, 1);
    g_assert_cmpstr (g_hash_table_lookup (answer.errors, "b\nc"), ==, "AccessDenied: not <yours>");
    s3_answer_clear (&answer);
  }
}

/* Only a delete without a version makes a marker; a marker that is deleted says so, too. */
static void
test_delete_markers_are_told (void)
{
  static const char text[]
      = "<DeleteResult><Deleted><DeleteMarker>true</DeleteMarker>"
        "<DeleteMarkerVersionId>9</DeleteMarkerVersionId><Key>a</Key></Deleted>"
        "<Deleted><Key>b</Key><DeleteMarker>false</DeleteMarker></Deleted>"
        "<Deleted><DeleteMarker>true</DeleteMarker><Key>c</Key><VersionId>9</VersionId></Deleted>"
        "<Deleted><Key>d</Key><VersionId></VersionId></Deleted></DeleteResult>";
  S3Answer answer;
  g_autofree char *why = NULL;
  g_assert_true (s3_xml_parse (text, strlen (text), &answer, &why));
  g_assert_cmpuint (g_hash_table_size (answer.marked), ==, 1);
  g_assert_true (g_hash_table_contains (answer.marked, "a"));
  g_assert_cmpuint (g_hash_table_size (answer.deleted), ==, 5);
  s3_answer_clear (&answer);
}

static void
test_versions_of_exactly_one_key (void)
{
  static const char item[]
      = "<%s><Key>%s</Key><VersionId>%d</VersionId><Owner><ID>x</ID></Owner></%s>";
  static const struct {
    const char *key, *listed;
    gboolean encoded, is;
  } cases[] = { { "a b", "a b", FALSE, TRUE },     { "a b", "a+b", TRUE, TRUE },
                { "a b", "a%20b", TRUE, TRUE },    { "a+b", "a%2Bb", TRUE, TRUE },
                { "a+b", "a+b", FALSE, TRUE },     { "a", "ab", TRUE, FALSE },
                { "a%20b", "a%20b", FALSE, TRUE }, { "a", "%zz", TRUE, FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) text = g_string_new ("<ListVersionsResult><IsTruncated>true</IsTruncated>");
    g_string_append (text, cases[i].encoded ? "<EncodingType>url</EncodingType>" : "");
    g_string_append_printf (text, item, "Version", cases[i].listed, 1, "Version");
    g_string_append_printf (text, item, "DeleteMarker", cases[i].listed, 2, "DeleteMarker");
    g_string_append (text, "</ListVersionsResult>");
    S3Answer answer;
    g_autofree char *why = NULL;
    g_assert_true (s3_xml_parse (text->str, text->len, &answer, &why));
    g_assert_true (answer.is_list && answer.truncated && answer.encoded == cases[i].encoded);
    g_assert_cmpuint (answer.versions->len, ==, 2);
    const S3Version *version = answer.versions->pdata[0], *marker = answer.versions->pdata[1];
    g_assert_cmpstr (version->id, ==, "1");
    g_assert_true (!version->is_marker && marker->is_marker);
    g_assert_true (s3_answer_is_of (&answer, version, cases[i].key) == cases[i].is);
    s3_answer_clear (&answer);
  }
}

static void
test_an_answer_that_is_cut_off_is_no_result (void)
{
  for (gsize len = 0; len < strlen (ANSWER); len++) {
    S3Answer answer;
    g_autofree char *why = NULL;
    gboolean well_formed = read_in_pieces (ANSWER, len, 7, &answer, &why);
    g_assert_true (well_formed == (why == NULL));
    g_assert_false (answer.is_result);
    s3_answer_clear (&answer);
  }
}

static void
test_an_error_and_a_web_page_are_told_apart (void)
{
  S3Answer answer;
  char *why = NULL;
  g_assert_true (s3_xml_parse ("<Error><Code>NoSuchKey</Code><Message>m</Message></Error>", 57,
                               &answer, &why));
  g_assert_cmpstr (answer.code, ==, "NoSuchKey");
  g_assert_cmpstr (answer.message, ==, "m");
  g_assert_false (answer.is_result || answer.is_html);
  s3_answer_clear (&answer);
  (void)s3_xml_parse ("<!DOCTYPE html><html><body>Welcome</body></html>", 48, &answer, &why);
  g_assert_true (answer.is_html && !answer.is_result);
  s3_answer_clear (&answer);
  g_free (why);
}

static void
test_every_key_that_fits_comes_back (void)
{
  static const char *const keys[]
      = { "plain", "a&b<c>\"d'", "tab\tnew\nline\rreturn", "%2F+ ", "\xC3\xBC\xF0\x9F\x8E\x89" };
  static const char *const not [] = { "bell\a", "\x1F", "\xFF", "\xEF\xBF\xBE", "\xEF\xBF\xBF" };
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    g_assert_true (s3_xml_fits (keys[i]));
    g_ptr_array_add (all, (gpointer)keys[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (not ); i++)
    g_assert_false (s3_xml_fits (not [i]));
  /* The answer of a service that deletes all keys. */
  GString *body = s3_xml_delete (all, NULL);
  g_string_replace (body, "Object>", "Deleted>", 0);
  g_string_replace (body, "<Delete ", "<DeleteResult ", 0);
  g_string_replace (body, "</Delete>", "</DeleteResult>", 0);
  S3Answer answer;
  char *why = NULL;
  g_assert_true (s3_xml_parse (body->str, body->len, &answer, &why));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (g_hash_table_contains (answer.deleted, keys[i]));
  s3_answer_clear (&answer);
  g_string_free (body, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/s3_xml/delete_markers", test_delete_markers_are_told);
  g_test_add_func ("/s3_xml/versions", test_versions_of_exactly_one_key);
  g_test_add_func ("/s3_xml/an answer in pieces is the answer",
                   test_an_answer_in_pieces_is_the_answer);
  g_test_add_func ("/s3_xml/an answer that is cut off is no result",
                   test_an_answer_that_is_cut_off_is_no_result);
  g_test_add_func ("/s3_xml/an error and a web page are told apart",
                   test_an_error_and_a_web_page_are_told_apart);
  g_test_add_func ("/s3_xml/every key that fits comes back", test_every_key_that_fits_comes_back);
  return g_test_run ();
}
