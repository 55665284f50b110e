/* Texts that only the owner of a key file can read: libsodium's secretbox (XSalsa20-Poly1305), with
 * a random nonce before each. And the keyed hash of texts (BLAKE2b), which says whether two are
 * alike to whoever has the key, and to nobody else.
 *
 * A key file holds 32 random bytes as base64 (`openssl rand -base64 32`), and perhaps a line end.
 * What seals, what hashes and what names the key are three keys that are derived from it.
 *
 * Threads: any, once a key is read. Ownership: results are the caller's, g_free.
 */
#pragma once
#include "base/error.h"

typedef struct _SealKey SealKey;

/* PRUNED_FATAL, with path and remedy: the file cannot be read, others may read or write it, or it
 * holds no key. */
SealKey *seal_key_read (const char *path, GError **error);
void seal_key_free (SealKey *key);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SealKey, seal_key_free)

/* What tells the key from others and nothing of what it is: 16 hexadecimal digits. The key's. */
const char *seal_key_id (const SealKey *key);
/* Of the texts A and B, which are not mixed up: 64 hexadecimal digits. */
char *seal_hash (const SealKey *key, const char *a, const char *b);
/* TEXT, sealed: base64. */
char *seal_close (const SealKey *key, const char *text);
/* The text that was sealed. PRUNED_REJECT: it was sealed with another key, or is damaged. */
char *seal_open (const SealKey *key, const char *sealed, GError **error);
