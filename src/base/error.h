/* The error domain: what jobs see of it is all there is. */
#pragma once
#include "pruned/error.h"
