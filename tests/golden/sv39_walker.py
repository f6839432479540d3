"""An SV39 walk that is independent of the model: the steps of the privileged specification, section "Virtual address translation
process". memory: the entries by their physical address, absent where nothing is mapped."""

FETCH, LOAD, STORE = range(3)


def bit(value, number):
    return value >> number & 1


def walk(memory, root, virt, use):
    """(reason's name, level, physical address, address of the entry, entry)"""
    if virt >> 38 not in (0, 2**26 - 1):
        return "address is not canonical", 2, 0, 0, 0
    base = root
    for level in (2, 1, 0):
        addr = base + 8 * (virt // (4096 * 512**level) % 512)
        if addr not in memory:
            return "entry outside mapped memory", level, 0, addr, 0
        pte = memory[addr]
        valid, readable, writable, executable, user = (bit(pte, i) for i in range(5))
        accessed, dirty = bit(pte, 6), bit(pte, 7)
        number = pte >> 10 & (1 << 44) - 1

        def fault(reason, phys=0):
            return reason, level, phys, addr, pte

        if not valid or (writable and not readable):
            return fault("entry is not valid")
        if pte >> 54:
            return fault("reserved bit set in the entry")
        if not readable and not executable:
            if user or accessed or dirty:
                return fault("reserved bit set in the entry")
            base = number * 4096
            continue
        if number % 512**level:
            return fault("misaligned superpage")
        phys = number * 4096 + virt % (4096 * 512**level)
        if not (executable, readable, writable)[use]:
            return fault("page is not " + ("executable", "readable", "writable")[use], phys)
        if not accessed:
            return fault("A is clear", phys)
        if use == STORE and not dirty:
            return fault("D is clear", phys)
        return fault("no fault", phys)
    return fault("no leaf entry")
