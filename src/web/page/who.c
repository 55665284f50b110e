#include "web/page/who.h"

#include "web/proxies.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILE (64 * 1024)
#define MOST_NAME 128
#define HASH_LENGTH 64 /* of SHA-256 in hexadecimal */
#define BEARER "Bearer "
#define EVERYBODY "*"

static const char *const ROLES[] = { "look", "operate", "approve" };

typedef struct {
  char *name, *hash;
  Role role;
} Token;

struct _Who {
  Proxies *proxies;
  char *user_header, *group_header;
  GHashTable *roles; /* name, with @ of a group -> Role */
  char *file;        /* of the tokens; NULL: none */
};

const char *
role_word (Role role)
{
  return ROLES[role];
}

void
who_person_clear (Person *person)
{
  g_clear_pointer (&person->name, g_free);
}

/* --- settings --------------------------------------------------------------------------------- */

static gboolean
role_of_word (const char *word, Role *role)
{
  for (guint i = 0; i < G_N_ELEMENTS (ROLES); i++)
    if (g_str_equal (word, ROLES[i])) {
      *role = (Role)i;
      return TRUE;
    }
  return FALSE;
}

/* What the journal has as a name: a line of text. */
static gboolean
is_name (const char *text)
{
  if (*text == '\0' || strlen (text) > MOST_NAME || !g_utf8_validate (text, -1, NULL))
    return FALSE;
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    if (!g_unichar_isprint (g_utf8_get_char (at)))
      return FALSE;
  return TRUE;
}

static gboolean
read_roles (Who *who, const char *text, GError **error)
{
  g_auto (GStrv) each = g_strsplit (text, ",", -1);
  for (char **one = each; *one != NULL; one++) {
    Role role;
    char *equals = strrchr (g_strstrip (*one), '=');
    if (**one == '\0')
      continue;
    if (equals != NULL)
      *equals = '\0';
    if (equals == NULL || !is_name (g_strstrip (*one))
        || !role_of_word (g_strstrip (equals + 1), &role))
      return error_fatal (error,
                          "[http] roles: '%s' is not USER=ROLE, @GROUP=ROLE or *=ROLE; a role is "
                          "look, operate or approve",
                          *one);
    if (!g_hash_table_insert (who->roles, g_strdup (*one), GINT_TO_POINTER (role)))
      return error_fatal (error, "[http] roles: %s stands there twice", *one);
  }
  return TRUE;
}

/* --- the file of tokens ----------------------------------------------------------------------- */

static void
token_free (gpointer data)
{
  Token *token = data;
  g_free (token->name);
  g_free (token->hash);
  g_free (token);
}

static gboolean
check_rights (const char *path, GError **error)
{
  struct stat found;
  if (stat (path, &found) != 0)
    return error_fatal (error, "[http] tokens: %s: %s", path, g_strerror (errno));
  if (!S_ISREG (found.st_mode) || found.st_size > MOST_FILE)
    return error_fatal (error, "[http] tokens: %s is no small file", path);
  if ((found.st_mode & 077) != 0)
    return error_fatal (error, "[http] tokens: others can read %s; run: chmod 600 %s", path, path);
  if (found.st_uid != geteuid () && found.st_uid != 0)
    return error_fatal (
        error, "[http] tokens: %s belongs neither to root nor to the user of this process", path);
  return TRUE;
}

/* NULL: LINE is no token. */
static Token *
token_of (const char *line)
{
  g_auto (GStrv) words = g_strsplit_set (line, " \t", -1);
  const char *found[3] = { NULL };
  guint n = 0;
  Role role;
  for (char **word = words; *word != NULL; word++)
    if (**word != '\0' && n++ < G_N_ELEMENTS (found))
      found[n - 1] = *word;
  if (n != G_N_ELEMENTS (found) || !is_name (found[0]) || !role_of_word (found[1], &role)
      || strlen (found[2]) != HASH_LENGTH || strspn (found[2], "0123456789abcdef") != HASH_LENGTH)
    return NULL;
  Token *token = g_new (Token, 1);
  *token = (Token){ g_strdup (found[0]), g_strdup (found[2]), role };
  return token;
}

static GPtrArray *
read_tokens (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  if (!check_rights (path, error))
    return NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return error_null (error, PRUNED_FATAL, "[http] tokens: %s cannot be read", path);
  g_autoptr (GPtrArray) tokens = g_ptr_array_new_with_free_func (token_free);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    if (*g_strstrip (lines[i]) == '\0' || *lines[i] == '#')
      continue;
    Token *token = token_of (lines[i]);
    if (token == NULL) /* the line can have a token that is not hashed: it is not repeated */
      return error_null (error, PRUNED_FATAL,
                         "[http] tokens: %s:%u is not NAME ROLE SHA256; a role is look, operate or "
                         "approve, and SHA256 what `printf %%s TOKEN | sha256sum` says",
                         path, i + 1);
    g_ptr_array_add (tokens, token);
  }
  return g_steal_pointer (&tokens);
}

Who *
who_new (const WhoSettings *settings, GError **error)
{
  Who *who = g_new0 (Who, 1);
  who->proxies = proxies_new (settings->proxies, error);
  who->roles = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  who->user_header = g_ascii_strdown (settings->user_header, -1);
  who->group_header = g_ascii_strdown (settings->group_header, -1);
  who->file = *settings->tokens != '\0' ? g_strdup (settings->tokens) : NULL;
  gboolean ok = who->proxies != NULL && read_roles (who, settings->roles, error);
  if (ok && proxies_any (who->proxies) != (*who->user_header != '\0'))
    ok = error_fatal (error, "[http] trusted_proxies and user_header: one needs the other");
  if (ok && who->file != NULL) {
    g_autoptr (GPtrArray) tokens = read_tokens (who->file, error);
    ok = tokens != NULL;
  }
  if (ok)
    return who;
  who_free (who);
  return NULL;
}

void
who_free (Who *who)
{
  if (who == NULL)
    return;
  proxies_free (who->proxies);
  g_hash_table_unref (who->roles);
  g_free (who->user_header);
  g_free (who->group_header);
  g_free (who->file);
  g_free (who);
}

gboolean
who_can_tell (const Who *who)
{
  return proxies_any (who->proxies) || who->file != NULL;
}

/* --- by a token ------------------------------------------------------------------------------- */

static gboolean
same_hash (const char *a, const char *b)
{
  guchar differs = 0;
  for (guint i = 0; i < HASH_LENGTH; i++)
    differs |= (guchar)(a[i] ^ b[i]);
  return differs == 0;
}

static gboolean
by_token (const Who *who, const char *given, Person *person, GError **error)
{
  const Token *fits = NULL;
  g_autoptr (GPtrArray) tokens = who->file != NULL ? read_tokens (who->file, error) : NULL;
  if (who->file == NULL)
    return error_reject (error, "there are no tokens here");
  if (tokens == NULL)
    return FALSE;
  g_autofree char *hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, given, -1);
  for (guint i = 0; i < tokens->len; i++) {
    const Token *token = tokens->pdata[i];
    fits = same_hash (token->hash, hash) ? token : fits;
  }
  if (fits == NULL)
    return error_reject (error, "the token is not known");
  *person = (Person){ g_strdup (fits->name), fits->role };
  return TRUE;
}

/* --- by a proxy ------------------------------------------------------------------------------- */

static void
raise_to (const Who *who, const char *name, Role *role)
{
  *role = MAX (*role, (Role)GPOINTER_TO_INT (g_hash_table_lookup (who->roles, name)));
}

static Role
role_of (const Who *who, const char *user, const char *groups)
{
  Role role = ROLE_LOOK;
  if (*user != '@' && !g_str_equal (user, EVERYBODY)) /* else it is the name of others */
    raise_to (who, user, &role);
  raise_to (who, EVERYBODY, &role);
  g_auto (GStrv) each = g_strsplit (groups != NULL ? groups : "", ",", -1);
  for (char **one = each; *one != NULL; one++) {
    g_autofree char *group = g_strconcat ("@", g_strstrip (*one), NULL);
    raise_to (who, group, &role);
  }
  return role;
}

static gboolean
by_proxy (const Who *who, const WebRequest *request, Person *person, GError **error)
{
  const char *user = g_hash_table_lookup (request->headers, who->user_header),
             *groups = *who->group_header != '\0'
                           ? g_hash_table_lookup (request->headers, who->group_header)
                           : NULL;
  if (user == NULL || !is_name (user))
    return error_reject (error,
                         "the proxy does not say who you are: it sends no header %s, or not "
                         "one name",
                         who->user_header);
  *person = (Person){ g_strdup (user), role_of (who, user, groups) };
  return TRUE;
}

gboolean
who_of (const Who *who, const WebRequest *request, const char *token, Person *person,
        GError **error)
{
  const char *said = g_hash_table_lookup (request->headers, "authorization");
  *person = (Person){ 0 };
  if (said != NULL && g_ascii_strncasecmp (said, BEARER, strlen (BEARER)) == 0)
    return by_token (who, said + strlen (BEARER), person, error);
  if (token != NULL && *token != '\0')
    return by_token (who, token, person, error);
  if (proxies_has (who->proxies, request->address))
    return by_proxy (who, request, person, error);
  return error_reject (error, "nobody says who you are: %s",
                       who->file != NULL ? "type your token"
                       : proxies_any (who->proxies)
                           ? "come by the proxy"
                           : "[http] has neither tokens nor trusted_proxies");
}
