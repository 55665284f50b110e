/* The rows of a statement: what jobs see of them is all there is. */
#pragma once
#include "pruned/rows.h"
