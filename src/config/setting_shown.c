#include "config/settings.h"
#include <string.h>

#define MASK "***"
#define LIKE_PASSWORD "\\w*(?:pas|psw|pwd|secret|token)\\w*"

/* What stands between `//` and the last `@`, from its first `:` on; all of it if there is no `:`
 * and the scheme is no database's (a token then stands where the name would). A password may hold
 * unescaped `/` or `@`: rather too much is hidden than too little. */
static char *
mask_user_info (const char *text)
{
  const char *slashes = strstr (text, "://"), *at = strrchr (text, '@');
  if (slashes == NULL || at == NULL || at < slashes)
    return g_strdup (text);
  const char *user = slashes + 3, *colon = memchr (user, ':', at - user);
  if (colon == NULL && g_str_has_prefix (text, "postgres"))
    return g_strdup (text);
  const char *from = colon != NULL ? colon + 1 : user;
  return g_strdup_printf ("%.*s" MASK "%s", (int)(from - text), text, at);
}

/* `password=...`, `sslpassword=...` as parameters of a URI or as words for libpq, and what may be
 * meant for it (`pasword=`). */
static char *
mask_parameters (const char *text)
{
  static const char in_uri[] = "(" LIKE_PASSWORD "=)[^&\\s]*";
  static const char in_words[]
      = "(" LIKE_PASSWORD "\\s*=\\s*)('(?:[^'\\\\]|\\\\.)*'?|(?:\\\\.|[^\\s\\\\])*)"
        "(?:\\s+[^\\s=]+(?=\\s|$)(?!\\s*=))*"; /* and words after it that name nothing */
  const char *pattern = strstr (text, "://") != NULL ? in_uri : in_words;
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_CASELESS | G_REGEX_DOTALL, 0, NULL);
  g_assert (regex != NULL);
  char *masked = g_regex_replace (regex, text, -1, 0, "\\1" MASK, 0, NULL);
  return masked != NULL ? masked : g_strdup (MASK);
}

char *
setting_shown_url (const char *text)
{
  g_autofree char *without_user_info = mask_user_info (text);
  return mask_parameters (without_user_info);
}

static char *
mask_whole (const char *text)
{
  return g_strdup (*text != '\0' ? MASK : "");
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

/* What librdkafka does not know is a secret with its name misspelt, perhaps. */
char *
setting_shown_kafka (const char *key, const char *text)
{
  static const char *const secrets[] = { "password",    "passphrase",         "secret", "key.pem",
                                         "private.key", "oauthbearer.config", "jaas" };
  if (kafka_known == NULL || !kafka_known (key))
    return mask_whole (text);
  for (guint i = 0; i < G_N_ELEMENTS (secrets); i++)
    if (strstr (key, secrets[i]) != NULL)
      return mask_whole (text);
  return setting_shown_url (text);
}
