/* Who a request is of: by a table of requests. */
#include "web/page/who.h"

#include <arpa/inet.h>
#include <glib/gstdio.h>
#include <netinet/in.h>
#include <string.h>

/* Of the tokens `one` and `two`. */
#define FILE_OF_TOKENS                                                                             \
  "# those who act\n"                                                                              \
  "anna approve 7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed\n"                \
  "\n"                                                                                             \
  "bert operate 3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3\n"

static char *
written (const char *text, int mode)
{
  char *path = NULL;
  int fd = g_file_open_tmp ("pruned-tokens-XXXXXX", &path, NULL);
  g_close (fd, NULL);
  g_file_set_contents (path, text, -1, NULL);
  g_chmod (path, (mode_t)mode);
  return path;
}

static Who *
made (const char *tokens, GError **error)
{
  return who_new (&(WhoSettings){ "10.1.0.0/16, ::1", "X-User", "X-Groups",
                                  "anna=approve, @ops=operate, @leads=approve", tokens },
                  error);
}

static struct sockaddr_storage
address_of (const char *text)
{
  struct sockaddr_storage address = { 0 };
  struct sockaddr_in *four = (struct sockaddr_in *)&address;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
  const gboolean is_six = strchr (text, ':') != NULL;
  address.ss_family = is_six ? AF_INET6 : AF_INET;
  g_assert_cmpint (inet_pton (address.ss_family, text,
                              is_six ? (void *)&six->sin6_addr : (void *)&four->sin_addr),
                   ==, 1);
  return address;
}

static const struct {
  const char *from, *user, *groups, *authorization, *typed;
  const char *name; /* NULL: nobody */
  Role role;
} CASES[] = {
  /* by the proxy */
  { "10.1.2.3", "anna", NULL, NULL, NULL, "anna", ROLE_APPROVE },
  { "::1", "anna", NULL, NULL, NULL, "anna", ROLE_APPROVE },
  { "10.1.2.3", "carl", NULL, NULL, NULL, "carl", ROLE_LOOK },
  { "10.1.2.3", "carl", "ops", NULL, NULL, "carl", ROLE_OPERATE },
  { "10.1.2.3", "carl", "users, ops ,leads", NULL, NULL, "carl", ROLE_APPROVE },
  { "10.1.2.3", "ops", NULL, NULL, NULL, "ops", ROLE_LOOK },
  { "10.1.2.3", "@leads", NULL, NULL, NULL, "@leads", ROLE_LOOK },
  { "10.1.2.3", "*", NULL, NULL, NULL, "*", ROLE_LOOK },
  { "10.1.2.3", "carl", "anna", NULL, NULL, "carl", ROLE_LOOK },
  { "10.1.2.3", NULL, "leads", NULL, NULL, NULL, 0 },
  { "10.1.2.3", "", NULL, NULL, NULL, NULL, 0 },
  { "10.1.2.3", "carl\nanna", NULL, NULL, NULL, NULL, 0 }, /* the header twice */
  { "10.1.2.3", "carl", "users\nleads", NULL, NULL, "carl", ROLE_LOOK },
  { "10.1.2.3", "\xff", NULL, NULL, NULL, NULL, 0 },
  /* from elsewhere the header is nothing */
  { "10.2.2.3", "anna", NULL, NULL, NULL, NULL, 0 },
  { "127.0.0.1", "anna", "leads", NULL, NULL, NULL, 0 },
  { NULL, "anna", NULL, NULL, NULL, NULL, 0 },
  /* by a token */
  { "127.0.0.1", NULL, NULL, "Bearer one", NULL, "anna", ROLE_APPROVE },
  { "127.0.0.1", NULL, NULL, "bearer two", NULL, "bert", ROLE_OPERATE },
  { "127.0.0.1", NULL, NULL, NULL, "two", "bert", ROLE_OPERATE },
  { "127.0.0.1", NULL, NULL, NULL, "three", NULL, 0 },
  { "127.0.0.1", NULL, NULL, NULL, "", NULL, 0 },
  { "127.0.0.1", NULL, NULL, "Bearer ", NULL, NULL, 0 },
  { "127.0.0.1", NULL, NULL, "Bearer one ", NULL, NULL, 0 },
  { "127.0.0.1", NULL, NULL, "Bearer one\nBearer one", NULL, NULL, 0 },
  { "127.0.0.1", NULL, NULL, "Bearer three", "one", NULL, 0 },
  { "127.0.0.1", NULL, NULL,
    "Bearer 7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed", NULL, NULL, 0 },
  { "127.0.0.1", NULL, NULL, "Basic YW5uYTpvbmU=", NULL, NULL, 0 },
  { "10.1.2.3", "carl", NULL, "Basic YW5uYTpvbmU=", NULL, "carl", ROLE_LOOK },
  { "10.1.2.3", "carl", NULL, NULL, "one", "anna", ROLE_APPROVE },
  { "10.1.2.3", "anna", NULL, NULL, "three", NULL, 0 },
};

static void
test_requests (void)
{
  g_autofree char *path = written (FILE_OF_TOKENS, 0600);
  g_autoptr (GError) wrong = NULL;
  Who *who = made (path, &wrong);
  g_assert_no_error (wrong);
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GHashTable) headers = g_hash_table_new (g_str_hash, g_str_equal);
    const char *const given[][2] = { { "x-user", CASES[i].user },
                                     { "x-groups", CASES[i].groups },
                                     { "authorization", CASES[i].authorization } };
    for (guint k = 0; k < G_N_ELEMENTS (given); k++)
      if (given[k][1] != NULL)
        g_hash_table_insert (headers, (char *)given[k][0], (char *)given[k][1]);
    struct sockaddr_storage from = address_of (CASES[i].from != NULL ? CASES[i].from : "10.1.2.3");
    WebRequest request = { .headers = headers,
                           .address = CASES[i].from != NULL ? (struct sockaddr *)&from : NULL };
    g_auto (Person) person = { 0 };
    const gboolean is = who_of (who, &request, CASES[i].typed, &person, &error);
    g_test_message ("case %u: %s", i, error != NULL ? error->message : person.name);
    g_assert_cmpstr (person.name, ==, CASES[i].name);
    g_assert_cmpint (is, ==, CASES[i].name != NULL);
    if (is)
      g_assert_cmpint (person.role, ==, CASES[i].role);
    else
      g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
  }
  who_free (who);
  g_unlink (path);
}

/* What is struck out in the file is no longer good, and a file that others can read is none. */
static void
test_file (void)
{
  static const char *const wrong[]
      = { "anna approve one\n", "anna approve\n",
          "anna boss "
          "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed\n" };
  g_autofree char *path = written (FILE_OF_TOKENS, 0600);
  g_autoptr (GHashTable) headers = g_hash_table_new (g_str_hash, g_str_equal);
  WebRequest request = { .headers = headers };
  Who *who = made (path, NULL);
  g_assert_nonnull (who);
  g_file_set_contents (path, "", 0, NULL);
  g_chmod (path, 0600);
  g_auto (Person) person = { 0 };
  g_assert_false (who_of (who, &request, "one", &person, NULL));
  g_chmod (path, 0640);
  g_autoptr (GError) error = NULL;
  g_assert_false (who_of (who, &request, "one", &person, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  g_assert_null (made (path, NULL));
  g_assert_null (made ("/nowhere/tokens", NULL));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) said = NULL;
    g_chmod (path, 0600);
    g_file_set_contents (path, wrong[i], -1, NULL);
    g_chmod (path, 0600);
    g_assert_null (made (path, &said));
    g_assert_error (said, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_null (strstr (said->message, "one\n")); /* what may be a token is not repeated */
  }
  who_free (who);
  g_unlink (path);
}

static void
test_settings (void)
{
  static const struct {
    WhoSettings settings;
    gboolean is_right, can_tell;
  } cases[] = {
    { { "", "", "", "", "" }, TRUE, FALSE },
    { { "10.0.0.1", "X-User", "", "*=look", "" }, TRUE, TRUE },
    { { "10.0.0.1", "", "", "", "" }, FALSE, FALSE },
    { { "", "X-User", "", "", "" }, FALSE, FALSE },
    { { "proxy.example", "X-User", "", "", "" }, FALSE, FALSE },
    { { "10.0.0.1/8", "X-User", "", "", "" }, FALSE, FALSE }, /* bits behind the mask */
    { { "", "", "", "anna", "" }, FALSE, FALSE },
    { { "", "", "", "anna=boss", "" }, FALSE, FALSE },
    { { "", "", "", "anna=look, anna=approve", "" }, FALSE, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Who *who = who_new (&cases[i].settings, NULL);
    g_assert_cmpint (who != NULL, ==, cases[i].is_right);
    if (who != NULL)
      g_assert_cmpint (who_can_tell (who), ==, cases[i].can_tell);
    who_free (who);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/who/requests", test_requests);
  g_test_add_func ("/who/file", test_file);
  g_test_add_func ("/who/settings", test_settings);
  return g_test_run ();
}
