#include "base/seal.h"

#include "base/trusted.h"

#include <glib/gstdio.h>
#include <sodium.h>
#include <string.h>

#define CONTEXT "prunedER" /* of the derived keys: crypto_kdf_CONTEXTBYTES */
#define REMEDY "openssl rand -base64 32 >FILE"

enum { OF_BOX = 1, OF_HASH, OF_NAME };

struct _SealKey {
  guint8 box[crypto_secretbox_KEYBYTES], hash[crypto_generichash_KEYBYTES];
  char id[2 * 8 + 1];
};

/* --- the file --- */

static gboolean
is_private (const char *path, GError **error)
{
  GStatBuf file;
  if (!trusted_file (path, error))
    return FALSE;
  return g_stat (path, &file) != 0 || (file.st_mode & S_IROTH) == 0
         || error_fatal (error, "%s: everybody may read this key: chmod o-r %s", path, path);
}

static gboolean
decode (const char *path, const char *text, guint8 master[crypto_kdf_KEYBYTES], GError **error)
{
  gsize n = 0;
  g_autofree char *line = g_strstrip (g_strdup (text));
  const gboolean whole = sodium_base642bin (master, crypto_kdf_KEYBYTES, line, strlen (line), NULL,
                                            &n, NULL, sodium_base64_VARIANT_ORIGINAL)
                             == 0
                         && n == crypto_kdf_KEYBYTES;
  sodium_memzero (line, strlen (line));
  return whole
         || error_fatal (error, "%s: this is no key: expected %d bytes as base64 (" REMEDY ")",
                         path, (int)crypto_kdf_KEYBYTES);
}

SealKey *
seal_key_read (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) cause = NULL;
  guint8 master[crypto_kdf_KEYBYTES], name[crypto_kdf_BYTES_MIN];
  if (sodium_init () < 0)
    return error_null (error, PRUNED_FATAL, "libsodium cannot be used: no random numbers");
  if (!is_private (path, error))
    return NULL;
  if (!g_file_get_contents (path, &text, NULL, &cause))
    return error_null (error, PRUNED_FATAL, "%s; a new key: " REMEDY, cause->message);
  const gboolean read = decode (path, text, master, error);
  sodium_memzero (text, strlen (text));
  if (!read)
    return NULL;
  SealKey *key = g_new0 (SealKey, 1);
  crypto_kdf_derive_from_key (key->box, sizeof key->box, OF_BOX, CONTEXT, master);
  crypto_kdf_derive_from_key (key->hash, sizeof key->hash, OF_HASH, CONTEXT, master);
  crypto_kdf_derive_from_key (name, sizeof name, OF_NAME, CONTEXT, master);
  sodium_memzero (master, sizeof master);
  sodium_bin2hex (key->id, sizeof key->id, name, sizeof key->id / 2);
  return key;
}

void
seal_key_free (SealKey *key)
{
  if (key != NULL)
    sodium_memzero (key, sizeof *key);
  g_free (key);
}

const char *
seal_key_id (const SealKey *key)
{
  return key->id;
}

/* --- texts --- */

char *
seal_hash (const SealKey *key, const char *a, const char *b)
{
  guint8 sum[crypto_generichash_BYTES];
  char *hex = g_malloc (2 * sizeof sum + 1);
  crypto_generichash_state state;
  crypto_generichash_init (&state, key->hash, sizeof key->hash, sizeof sum);
  crypto_generichash_update (&state, (const guint8 *)a, strlen (a) + 1); /* the NUL is between */
  crypto_generichash_update (&state, (const guint8 *)b, strlen (b));
  crypto_generichash_final (&state, sum, sizeof sum);
  return sodium_bin2hex (hex, 2 * sizeof sum + 1, sum, sizeof sum);
}

char *
seal_close (const SealKey *key, const char *text)
{
  const gsize len = strlen (text),
              all = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + len;
  g_autofree guint8 *bytes = g_malloc (all);
  randombytes_buf (bytes, crypto_secretbox_NONCEBYTES);
  crypto_secretbox_easy (bytes + crypto_secretbox_NONCEBYTES, (const guint8 *)text, len, bytes,
                         key->box);
  return g_base64_encode (bytes, all);
}

char *
seal_open (const SealKey *key, const char *sealed, GError **error)
{
  gsize n = 0;
  g_autofree guint8 *bytes = g_base64_decode (sealed, &n);
  const gsize least = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
  char *text = n >= least ? g_malloc0 (n - least + 1) : NULL;
  if (text != NULL
      && crypto_secretbox_open_easy ((guint8 *)text, bytes + crypto_secretbox_NONCEBYTES,
                                     n - crypto_secretbox_NONCEBYTES, bytes, key->box)
             == 0)
    return text;
  g_free (text);
  return error_null (error, PRUNED_REJECT, "sealed with another key, or damaged");
}
