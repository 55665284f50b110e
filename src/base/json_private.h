/* Between the files that read and write JSON. */
#pragma once
#include "base/json.h"

/* Appends the fewest digits that read back as VALUE, always with a point or an exponent. */
void json_append_real (GString *out, double value);
