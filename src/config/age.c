#include "config/age.h"

#define PART "([1-9][0-9]{0,5} *(minute|hour|day|week|mon|month)s?|[1-9][0-9]{0,2} *years?)"

gboolean
age_is (const char *text)
{
  return g_regex_match_simple ("^" PART "( +" PART ")*$", text, G_REGEX_CASELESS, 0);
}
