// The Chisel Ventus in a build for GVM: the same ports.
#pragma once

#include "../ventus_chisel/adapter.hpp"
