/* Who somebody is that wants something done, and whether they may. A proxy that has asked them says
 * it in a header, or they know a token of a file.
 *
 * Invariant: a header counts only from an address of a proxy; only hashes of tokens are kept, and
 * all are compared, each in the same time, whichever fits. The file is read for each request: what
 * is struck out there is no longer good.
 *
 * Threads: who_of: any. Ownership: who_free; who_person_clear.
 */
#pragma once
#include "config/config.h"
#include "web/web.h"

/* Each may what those before it may. */
typedef enum { ROLE_LOOK, ROLE_OPERATE, ROLE_APPROVE } Role;
const char *role_word (Role role);

typedef struct {
  char *name;
  Role role;
} Person;
void who_person_clear (Person *person);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Person, who_person_clear)

typedef struct {
  const char *proxies;      /* addresses and networks, with commas */
  const char *user_header;  /* has the name of the user */
  const char *group_header; /* has names of their groups, with commas; empty: none */
  const char *roles;        /* `anna=approve, @ops=operate, *=look`; a group has an @ before it */
  const char *tokens;       /* a file with lines `NAME ROLE SHA256`; empty: none */
} WhoSettings;

typedef struct _Who Who;
/* PRUNED_FATAL: the settings, or the file, say something that is not understood. */
Who *who_new (const WhoSettings *settings, GError **error);
void who_free (Who *who); /* NULL: nothing */
/* Whether somebody can say at all who they are. */
gboolean who_can_tell (const Who *who);

/* TOKEN: what was typed into the form; NULL: nothing. PRUNED_REJECT says why it is nobody. */
gboolean who_of (const Who *who, const WebRequest *request, const char *token, Person *person,
                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
