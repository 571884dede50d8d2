// What runs on the processor and in a kernel alike.
#pragma once

#ifdef __CUDACC__
#define VISAVIS_HOST_DEVICE __host__ __device__
#else
#define VISAVIS_HOST_DEVICE
#endif
