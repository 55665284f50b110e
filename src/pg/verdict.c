#include "pg/verdict.h"

#include <string.h>

static const struct {
  const char *prefix; /* of the SQLSTATE */
  PrunedVerdict verdict;
} VERDICTS[] = {
  { "40001", PRUNED_BUSY },  { "40P01", PRUNED_BUSY },  { "55P03", PRUNED_BUSY },
  { "57014", PRUNED_RETRY }, /* statement_timeout; our own cancel is BUSY, see below */
  { "57P", PRUNED_OUTAGE },  { "08", PRUNED_OUTAGE },   { "53", PRUNED_OUTAGE },
  { "58030", PRUNED_OUTAGE }, /* input or output error of the server's disk */
  { "25006", PRUNED_OUTAGE }, { "25P03", PRUNED_OUTAGE }, { "25P02", PRUNED_OUTAGE },
  { "28", PRUNED_OUTAGE },   { "3D", PRUNED_OUTAGE },
  { "42", PRUNED_RETRY },    /* something is missing: the engine says `blocked` */
  { "3F", PRUNED_RETRY },    { "26", PRUNED_OUTAGE }, /* a prepared statement is gone: another server behind the pooler */
};

static PrunedVerdict
verdict_of (const char *state, gboolean cancelled)
{
  if (cancelled && strcmp (state, "57014") == 0)
    return PRUNED_BUSY;
  for (guint i = 0; i < G_N_ELEMENTS (VERDICTS); i++)
    if (g_str_has_prefix (state, VERDICTS[i].prefix))
      return VERDICTS[i].verdict;
  return *state == '\0' ? PRUNED_OUTAGE : PRUNED_DATA;
}

void
verdict_set_error (const PGresult *result, const char *name, gboolean cancelled, GError **error)
{
  const char *state = PQresultErrorField (result, PG_DIAG_SQLSTATE);
  const char *words = PQresultErrorField (result, PG_DIAG_MESSAGE_PRIMARY);
  const char *detail = PQresultErrorField (result, PG_DIAG_MESSAGE_DETAIL);
  const char *position = PQresultErrorField (result, PG_DIAG_STATEMENT_POSITION);
  g_autoptr (GString) text = g_string_new (words != NULL ? words : PQresultErrorMessage (result));
  if (detail != NULL)
    g_string_append_printf (text, " (%s)", detail);
  if (state != NULL)
    g_string_append_printf (text, " [%s]", state);
  if (name != NULL && state != NULL && g_str_has_prefix (state, "42"))
    g_string_append_printf (text, " in %s%s%s", name, position != NULL ? " at character " : "",
                            position != NULL ? position : "");
  g_strchomp (text->str);
  g_set_error_literal (error, PRUNED_ERROR, verdict_of (state != NULL ? state : "", cancelled), text->str);
}
