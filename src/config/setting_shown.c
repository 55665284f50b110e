#include "config/settings.h"
#include <string.h>

#define MASK "***"
#define LIKE_PASSWORD "\\w*(?:pas|psw|pwd|secret|token)\\w*"
/* What libpq knows, but passwords, and the beginnings of its families of keywords. */
#define HARMLESS                                                                                   \
  "(?:host|hostaddr|port|dbname|user|passfile|options|service|replication|client_encoding"         \
  "|application_name|fallback_application_name|connect_timeout|tcp_user_timeout|krbsrvname"        \
  "|gsslib|target_session_attrs|load_balance_hosts|channel_binding|require\\w+|(?:ssl|gss"         \
  "|keepalives)\\w*)"

/* Masks what follows the first colon, if it is not a port: a password without its host. */
static char *
mask_wrong_port (const char *text, const char *slashes)
{
  static const char right[] = "^[^:,/?#]*(?:\\[[^\\]]*\\])?(?::\\d*)?(?:,[^:,/?#]*(?:\\[[^\\]]*"
                              "\\])?(?::\\d*)?)*(?:[/?#]|$)";
  const char *colon = strchr (slashes + 3, ':');
  if (colon == NULL || g_regex_match_simple (right, slashes + 3, 0, 0))
    return g_strdup (text);
  return g_strdup_printf ("%.*s:" MASK, (int)(colon - text), text);
}

/* Masks the text between `//` and the last `@` from its first `:` on. Masks all of it if it has no
 * `:` and the scheme is not a database's: it can then be a token. A password can hold an unescaped
 * `/` or `@`, so this masks too much rather than too little. */
static char *
mask_user_info (const char *text)
{
  const char *slashes = strstr (text, "://"), *at = strrchr (text, '@');
  if (slashes == NULL)
    return g_strdup (text);
  if (at == NULL || at < slashes)
    return mask_wrong_port (text, slashes);
  const char *user = slashes + 3, *colon = memchr (user, ':', at - user);
  if (colon == NULL && g_str_has_prefix (text, "postgres"))
    return g_strdup (text);
  const char *from = colon != NULL ? colon + 1 : user;
  return g_strdup_printf ("%.*s" MASK "%s", (int)(from - text), text, at);
}

/* Masks `password=...` and `sslpassword=...`, as parameters of a URI or as key=value pairs, and
 * misspelt forms (`pasword=`). */
static char *
mask_parameters (const char *text)
{
  static const char in_uri[] = "(" LIKE_PASSWORD "=)[^&\\s]*";
  static const char in_words[]
      = "(" LIKE_PASSWORD "\\s*=\\s*)('(?:[^'\\\\]|\\\\.)*'?|(?:\\\\.|[^\\s\\\\])*)"
        "(?:\\s+[^\\s=]+(?=\\s|$)(?!\\s*=))*"; /* and words after it that are not key=value */
  const char *pattern = strstr (text, "://") != NULL ? in_uri : in_words;
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_CASELESS | G_REGEX_DOTALL, 0, NULL);
  g_assert (regex != NULL);
  char *masked = g_regex_replace (regex, text, -1, 0, "\\1" MASK, 0, NULL);
  return masked != NULL ? masked : g_strdup (MASK);
}

static char *
mask_parts (const char *text)
{
  g_autofree char *without_user_info = mask_user_info (text);
  return mask_parameters (without_user_info);
}

static char *
mask_whole (const char *text)
{
  return g_strdup (*text != '\0' ? MASK : "");
}

static gboolean
are_pairs (const char *text)
{
  static const char begins[] = "^\\s*(?:" HARMLESS "|" LIKE_PASSWORD ")\\s*=",
                    strange[] = "(?<!\\w)(?!(?:" HARMLESS "|" LIKE_PASSWORD ")\\s*=)\\w+\\s*=";
  g_autoptr (GRegex) quoted = g_regex_new ("'(?:[^'\\\\]|\\\\.)*'", G_REGEX_DOTALL, 0, NULL);
  g_autofree char *bare = g_regex_replace (quoted, text, -1, 0, "", 0, NULL);
  return bare != NULL && g_regex_match_simple (begins, bare, G_REGEX_CASELESS, 0)
         && !g_regex_match_simple (strange, bare, G_REGEX_CASELESS, 0);
}

/* A text without a scheme that nobody can read is not shown: any part of it can be a password.
 * Shown are a name, a host with its port, and pairs of keywords that libpq knows. */
char *
setting_shown_url (const char *text)
{
  if (strstr (text, "://") != NULL)
    return mask_parts (text);
  if (g_regex_match_simple ("^[\\w.-]+(?::\\d{1,5}/?)?$", text, 0, 0))
    return g_strdup (text);
  g_autofree char *parts = mask_parts (text);
  return are_pairs (parts) ? g_steal_pointer (&parts) : mask_whole (text);
}

char *
setting_shown (const Setting *setting, const char *text)
{
  switch (setting->type) {
  case SETTING_SECRET:
    return mask_whole (text);
  case SETTING_URL:
    return setting_shown_url (text);
  default:
    return g_strdup (text);
  }
}

static SettingKafkaKnown kafka_known;

void
setting_kafka_known (SettingKafkaKnown known)
{
  kafka_known = known;
}

/* Masks properties that librdkafka does not know, too: one can be a misspelt secret. */
char *
setting_shown_kafka (const char *key, const char *text)
{
  static const char *const secrets[]
      = { "password",    "passphrase",         "secret", "key.pem",
          "private.key", "oauthbearer.config", "jaas",   "kinit.cmd" };
  if (kafka_known == NULL || !kafka_known (key))
    return mask_whole (text);
  for (guint i = 0; i < G_N_ELEMENTS (secrets); i++)
    if (strstr (key, secrets[i]) != NULL)
      return mask_whole (text);
  return mask_parts (text);
}
