/* What Rondo asks of CUDA's driver, of a machine whose GPU has one stretch of memory and one that is managed: the tests
 * say which. */
static unsigned long long device_begin, device_end, managed_begin, managed_end;

void fake_cuda_set(unsigned long long begin, unsigned long long end, unsigned long long managed,
                   unsigned long long managed_behind) {
  device_begin = begin;
  device_end = end;
  managed_begin = managed;
  managed_end = managed_behind;
}

int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer) {
  const int managed = pointer >= managed_begin && pointer < managed_end;
  if (!managed && !(pointer >= device_begin && pointer < device_end)) return 1; /* CUDA_ERROR_INVALID_VALUE */
  if (attribute == 2)
    *(unsigned*)data = 2; /* CU_MEMORYTYPE_DEVICE */
  else if (attribute == 8)
    *(unsigned*)data = (unsigned)managed;
  else
    return 1;
  return 0;
}
