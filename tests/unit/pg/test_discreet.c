/* Values in messages of class 22: the texts are those of PostgreSQL, in several languages. */
#include "pg/discreet.h"

static void
test_values_are_cut (void)
{
  static const char *const cases[][2] = {
    { "invalid input syntax for type integer: \"s3cr3t\"",
      "invalid input syntax for type integer: \"...\"" },
    { "invalid input syntax for type date: \"s3\"cr3t\"",
      "invalid input syntax for type date: \"...\"" },
    { "invalid input syntax for type date: \"\xc2\xbbs3cr3t\"",
      "invalid input syntax for type date: \"...\"" },
    { "ung\xc3\xbcltige Eingabesyntax f\xc3\xbcr Typ integer: \xc2\xbbs3cr3t\xc2\xab",
      "ung\xc3\xbcltige Eingabesyntax f\xc3\xbcr Typ integer: \"...\"" },
    { "ung\xc3\xbcltige Eingabesyntax f\xc3\xbcr Typ date: \xc2\xbbs3\"cr3t\xc2\xab",
      "ung\xc3\xbcltige Eingabesyntax f\xc3\xbcr Typ date: \"...\"" },
    { "la sintaxis de entrada no es v\xc3\xa1lida para tipo integer: \xc2\xabs3cr3t\xc2\xbb",
      "la sintaxis de entrada no es v\xc3\xa1lida para tipo integer: \"...\"" },
    { "syntaxe en entr\xc3\xa9"
      "e invalide pour le type integer : \xc2\xab s3cr3t \xc2\xbb",
      "syntaxe en entr\xc3\xa9"
      "e invalide pour le type integer : \"...\"" },
    { "\xe2\x80\x9es3cr3t\xe2\x80\x9c", "\"...\"" },
    { "date field value out of range: 2023-13-45", "date field value out of range: ..." },
    { "time field value out of range: 25:61:0.5", "time field value out of range: ..." },
    { "invalid byte sequence for encoding \"UTF8\": 0xe2 0x28",
      "invalid byte sequence for encoding \"...\": 0x... 0x..." },
    { "not UTF-8: \xbb"
      "s3cr3t\xab",
      "" },
    { "division by zero", "division by zero" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *shown = discreet_unquoted (cases[i][0]);
    g_assert_cmpstr (shown, ==, cases[i][1]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pg/discreet/values_are_cut", test_values_are_cut);
  return g_test_run ();
}
