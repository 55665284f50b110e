#include "engine/job/job_reading.h"

#include "engine/job/step_text.h"

const PgStatement *
job_reading (const char *name, const char *text, gboolean anew, GError **error)
{
  const gboolean own = name[0] == '/' || name[0] == '[';
  if (own && !step_text_locks (text))
    return pg_statement_reading (name, text, anew, error);
  return anew ? pg_statement_anew (name, text, error) : pg_statement_text (name, text, error);
}
