"""A core's statements and what each depends on, from Verilator's XML of it (--xml-only, with the points of --coverage-line).

The statements are those of each instance, with calls of functions in their place. A place in a signal is (signal, first
bit, bits); bits None is all of it. Signals are named by the path of their instance.
"""
import collections
import re
import xml.etree.ElementTree as xml

ASSIGNS = ("assign", "assigndly", "contassign", "assignw")
HEADS = ("if", "while", "case")
PAST = "_Vpast"  # Verilator's registers for what an assertion says of the past begin with it
LABELS = ("const", "varref", "sel", "and", "or", "not", "eq", "insiderange", "eqwild", "concat", "extend")  # Of cases
MOST_CALLS = 40  # Calls within calls

Signal = collections.namedtuple("Signal", "path name")
Place = collections.namedtuple("Place", "signal low bits")
Point = collections.namedtuple("Point", "module line column")  # Module as Verilator names it, by its parameters
Sink = collections.namedtuple("Sink", "record argument heads path")


def is_assertion(item):
    targets = [child[-1].get("name") or "" for child in item.iter() if child.tag in ASSIGNS]
    return bool(targets or item.find(".//stop") is not None) and all(name.startswith(PAST) for name in targets)


class DesignError(Exception):
    """What is wrong with the XML, in one line."""


class Statement:
    """point: the counter of its block, None where it has none. parts: (low, bits, place) where it only moves bits."""
    __slots__ = ("file", "line", "last", "kind", "path", "point", "heads", "writes", "reads", "parts")

    def __init__(self, file, line, last, kind, path, point, heads):
        self.file, self.line, self.last, self.kind = file, line, last, kind
        self.path, self.point, self.heads = path, point, heads
        self.writes, self.reads, self.parts = [], [], None


def const_of(element):
    """The value of a constant without x and z; None otherwise."""
    if element.tag != "const":
        return None
    match = re.fullmatch(r"\d+'s?h([0-9a-f]+)", element.get("name", ""))
    return int(match[1], 16) if match else None


def first_of(block):
    """Where the first statement of a block is: its line and column."""
    places = [tuple(map(int, e.get("loc").split(",")[1:3])) for child in block if child.tag != "coverinc" for e in child.iter() if e.get("loc")]
    return min(places, default=(1 << 30, 0))


def leaves(element):
    """Whether a statement may leave its block."""
    return element.tag == "jumpgo" or (element.tag != "jumpblock" and any(leaves(child) for child in element))


class Types:
    def __init__(self, table):
        self.by_id = {t.get("id"): t for t in table.iter() if t.get("id")}
        self.known = {}

    def width(self, number):
        """Bits of a type; None of one that is not packed."""
        if number not in self.known:
            self.known[number] = None  # Of itself
            self.known[number] = self.measure(self.by_id.get(number))
        return self.known[number]

    def measure(self, t):
        if t is None:
            return None
        if t.tag == "basicdtype":
            if t.get("left") is not None:
                return abs(int(t.get("left")) - int(t.get("right"))) + 1
            return {"int": 32, "integer": 32, "byte": 8, "shortint": 16, "longint": 64, "time": 64}.get(t.get("name"), 1)
        if t.tag == "structdtype":
            widths = [self.width(m.get("sub_dtype_id")) for m in t.iter("memberdtype")]
            return None if None in widths else sum(widths)
        if t.tag == "packarraydtype":
            bounds = [const_of(c) for c in t.iter("const")]
            one = self.width(t.get("sub_dtype_id"))
            return None if one is None or len(bounds) < 2 or None in bounds[:2] else one * (abs(bounds[0] - bounds[1]) + 1)
        return self.width(t.get("sub_dtype_id")) if t.get("sub_dtype_id") and t.tag != "unpackarraydtype" else None

    def struct(self, number):
        t = self.by_id.get(number)
        while t is not None and t.tag != "structdtype" and t.get("sub_dtype_id"):
            t = self.by_id.get(t.get("sub_dtype_id"))
        return t if t is not None and t.tag == "structdtype" else None

    def field(self, number, name):
        """(low, bits) of a member of a packed structure, whose first is in its highest bits; None where there is none."""
        t = self.struct(number)
        low = 0
        for member in reversed(t.findall("memberdtype") if t is not None else []):
            bits = self.width(member.get("sub_dtype_id"))
            if bits is None:
                return None
            if member.get("name") == name:
                return low, bits
            low += bits
        return None


class Scope:
    """Names within a block, a function or an instance."""

    def __init__(self, path, parent=None, module=None):
        self.path, self.parent, self.names = path, parent, {}
        self.module = module or (parent.module if parent else "")

    def find(self, name):
        scope = self
        while scope:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None


class Design:
    def __init__(self, path):
        try:
            root = xml.parse(path).getroot()
        except FileNotFoundError:
            raise DesignError(f"no {path}, which the build of karat_add_core(... COVERAGE line) leaves beside the core") from None
        except (OSError, xml.ParseError) as error:
            raise DesignError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
        self.files = {f.get("id"): f.get("filename") for f in root.iter("file")}
        netlist = root.find("netlist")
        if netlist is None:
            raise DesignError(f"{path}: no design: expected what verilator --xml-only writes")
        self.types = Types(netlist.find("typetable"))
        self.modules = {m.get("name"): m for m in netlist if m.tag in ("module", "package")}
        self.statements, self.sinks, self.instances = [], [], {}
        self.var_types = {}
        self.assertions, self.past = collections.defaultdict(list), {}  # Places that are read: by file and line, by Verilator's register
        self.calls = 0
        self.unresolved = collections.Counter()
        self.later = []  # Bodies, read once all instances are known
        self.constants, self.shared = Scope(""), {}  # Of packages: names, and (package, function)
        for package in self.modules.values():
            if package.tag == "package":
                self.declare(package, Scope(package.get("origName")), self.constants)
                self.shared.update({f.get("name"): (package.get("name"), f) for f in package if f.tag in ("func", "task")})
        top = next((m for m in self.modules.values() if m.get("topModule")), None)
        if top is None:
            raise DesignError(f"{path}: no top module")
        self.instance(top, top.get("name"))
        for read in self.later:
            read()
        self.later = None
        self.writers = collections.defaultdict(list)
        for s in self.statements:
            for place in s.writes:
                self.writers[place.signal].append((place, s))

    # --- Names ---

    def declare(self, element, scope, into=None):
        into = into or scope
        for var in element.findall("var"):
            signal = Signal(scope.path, var.get("name"))
            into.names[var.get("name")] = None if var.get("param") or var.get("localparam") else signal
            self.var_types[signal] = var.get("dtype_id")

    def place(self, element, scope):
        """The signal that a reference names; None where it is no signal, as a parameter."""
        name = element.get("name")
        if element.tag == "varref":
            return scope.find(name)
        parts = (element.get("dotted") or "").replace("__BRA__", "[").replace("__KET__", "]").split(".")  # Instances have brackets
        path = scope.path.split("/")[0]
        while path:
            for start in (path, path.rpartition(".")[0]):
                target = self.instances.get(".".join([start, *parts]).strip("."))
                if target and name in target.names:
                    return target.names[name]
            path = path.rpartition(".")[0]
        self.unresolved[name] += 1
        return None

    def location(self, element):
        file, line, _, last, _ = element.get("loc").split(",")
        return self.files[file], int(line), int(last)

    # --- Instances ---

    def instance(self, module, path):
        scope = Scope(path, self.constants, module.get("name"))
        self.instances[path] = scope
        functions = {f.get("name"): f for f in module.iter() if f.tag in ("func", "task")}
        self.items(module, scope, functions, path)
        return scope

    def items(self, element, scope, functions, prefix):
        self.declare(element, scope)
        for item in element:
            if item.tag == "instance":
                self.connect(item, scope, prefix, functions)
            elif item.tag == "begin":  # Of generate
                name = item.get("name")
                inner = Scope(scope.path, scope)
                self.items_within(item, inner, functions, f"{prefix}.{name}" if name else prefix)
            elif is_assertion(item):
                self.later.append(lambda item=item: self.assertion(item, scope))
            elif item.tag in ("always", "initial", "contassign", "alwayspublic"):
                statements = [item] if item.tag == "contassign" else [child for child in item if child.tag != "sentree"]
                self.later.append(lambda statements=statements: self.body(statements, scope, functions, None, (), counted=False))

    def assertion(self, item, scope):
        signals = filter(None, (self.place(e, scope) for e in item.iter() if e.tag in ("varref", "varxref")))
        places = [Place(signal, 0, self.types.width(self.var_types[signal])) for signal in signals]
        stop = item.find(".//stop")
        if stop is not None:
            self.assertions[self.location(stop)[:2]] += places
        self.past.update({place.signal: places for place in places if stop is None and place.signal.name.startswith(PAST)})

    def items_within(self, element, scope, functions, prefix):
        scope.path = prefix
        self.instances[prefix] = scope
        self.items(element, scope, functions, prefix)

    def connect(self, item, scope, prefix, functions):
        module = self.modules.get(item.get("defName"))
        if module is None:
            return
        inner = self.instance(module, f"{prefix}.{item.get('name')}")
        for port in item.findall("port"):
            if len(port):
                self.later.append(lambda port=port: self.port(port, inner, scope, functions))

    def port(self, port, inner, scope, functions):
        signal = inner.names.get(port.get("name"))
        if not signal:
            return
        whole = Place(signal, 0, self.types.width(self.var_types[signal]))
        file, line, last = self.location(port)
        s = Statement(file, line, last, "port", scope.path, None, ())
        if port.get("direction") == "in":
            s.writes = [whole]
            self.take(s, port[0], scope, functions, None, 0)
        else:
            self.target(s, port[0], scope, functions, 0)
            s.reads = [whole]
            if len(s.writes) == 1 and whole.bits and s.writes[0].bits == whole.bits:
                s.parts = [(s.writes[0].low, whole.bits, whole)]
        self.statements.append(s)

    # --- Statements ---

    def point_of(self, children, scope, is_else):
        """The counter of a block, its last one: others are left of a branch that is always taken. None where a return may come before it."""
        at = max((i for i, child in enumerate(children) if child.tag == "coverinc"), default=None)
        if at is None or any(leaves(child) for child in children[:at]):
            return None
        _, line, column, _, _ = children[at].get("loc").split(",")
        return Point(scope.module, int(line), int(column) + is_else)

    def body(self, children, scope, functions, point, heads, depth=0, is_else=False, counted=True):
        """counted: this is a block with a counter of its own. What begin and end enclose has none. That of a block without a condition (all
        of an always_comb, a loop, a function) is not believed: in an always_comb with a loop, and in the loop, it is near 0 with Verilator 5.006,
        however often it runs."""
        point = (self.point_of(children, scope, is_else) if counted else None) or point
        for child in children:
            if child.tag in ASSIGNS:
                self.assignment(child, scope, functions, point, heads, depth)
            elif child.tag in ("begin", "jumpblock", "stmtexpr", "initial", "always"):
                inner = Scope(scope.path, scope)
                self.declare(child, inner)
                self.body(list(child), inner, functions, point, heads, depth, counted=False)
            elif child.tag in ("taskref", "funcref"):
                self.call(child, scope, functions, point, heads, depth)
            elif child.tag in HEADS:
                self.head(child, scope, functions, point, heads, depth)

    def head(self, element, scope, functions, point, heads, depth):
        file, line, last = self.location(element)
        head = Statement(file, line, last, element.tag, scope.path, point, heads)
        within = (*heads, head)
        self.statements.append(head)
        if element.tag == "case":
            self.take(head, element[0], scope, functions, point, depth, plain=False)
            for item in element.findall("caseitem"):
                labels = [c for c in item if c.tag in LABELS]
                for label in labels:
                    self.take(head, label, scope, functions, point, depth, plain=False)
                self.body([c for c in item if c not in labels], scope, functions, point, within, depth)
            return
        if element.tag == "while":
            blocks = element.findall("begin")
            for block in blocks[:2]:
                for child in block:
                    self.take(head, child, scope, functions, point, depth, plain=False)
            for block in blocks[2:]:
                self.body(list(block), scope, functions, point, within, depth, counted=False)
            return
        self.take(head, element[0], scope, functions, point, depth, plain=False)
        blocks = [list(block) if block.tag == "begin" and not block.get("loc") else [block] for block in element[1:]]
        for block in blocks:  # Verilator exchanges them where the condition is negated
            self.body(block, scope, functions, point, within, depth, block is not min(blocks, key=first_of))

    def assignment(self, element, scope, functions, point, heads, depth):
        file, line, last = self.location(element)
        last = max([last, *(int(e.get("loc").split(",")[3]) for e in element[0].iter() if e.get("loc"))])
        s = Statement(file, line, last, element.tag, scope.path, point, heads)
        self.target(s, element[-1], scope, functions, depth)
        self.take(s, element[0], scope, functions, point, depth)
        self.statements.append(s)

    def call(self, element, scope, functions, point, heads, depth):
        """A function or a task in its place: its result, None where it has none."""
        name = element.get("name")
        if name.startswith("karat_port_"):
            argument = element.find("arg")[0] if element.find("arg") is not None else None
            signal = self.place(argument, scope) if argument is not None and argument.tag in ("varref", "varxref") else None
            if signal:
                self.sinks.append(Sink(name.removeprefix("karat_port_"), signal, heads, scope.path))
            return None
        module, function = (scope.module, functions[name]) if name in functions else self.shared.get(name, ("", None))
        if function is None or depth >= MOST_CALLS:
            return None
        self.calls += 1
        inner = Scope(f"{scope.path.split('/')[0]}/{name}{self.calls}", self.instances[scope.path.split("/")[0]], module)
        variables = function.findall("var")
        self.declare(function, inner)
        formal = [v for v in variables if v.get("dir") and v.get("name") != name]
        file, line, last = self.location(element)
        ends = [int(e.get("loc").split(",")[3]) for e in element.iter() if e.get("loc")]
        for var, arg in zip(formal, element.findall("arg")):
            signal = inner.names[var.get("name")]
            whole = Place(signal, 0, self.types.width(self.var_types[signal]))
            s = Statement(file, line, max([last, *ends]), "argument", scope.path, point, heads)
            if var.get("dir") in ("output", "inout"):
                self.target(s, arg[0], scope, functions, depth)
                s.reads = [whole]
            else:
                s.writes = [whole]
                self.take(s, arg[0], scope, functions, point, depth)
            self.statements.append(s)
        body = [c for c in function if c.tag != "var"]
        self.body(body, inner, functions, point, heads, depth + 1, counted=False)
        result = inner.names.get(name)
        return Place(result, 0, self.types.width(self.var_types[result])) if result else None

    # --- Expressions ---

    def target(self, s, element, scope, functions, depth):
        """What an assignment writes."""
        if element.tag in ("concat",):
            for child in element:
                self.target(s, child, scope, functions, depth)
            return
        place = self.exact(element, scope)
        base = element
        while place is None and base.tag in ("sel", "arraysel", "slicesel") and len(base):
            for index in base[1:]:
                s.reads += self.reads(index, scope, functions, None, s.heads, depth)
            base = base[0]
            if base.tag in ("varref", "varxref"):
                signal = self.place(base, scope)
                place = Place(signal, 0, None) if signal else None
        if place:
            s.writes.append(place)

    def exact(self, element, scope):
        """The place of a reference or of a selection by constants."""
        if element.tag in ("varref", "varxref"):
            signal = self.place(element, scope)
            return Place(signal, 0, self.types.width(element.get("dtype_id"))) if signal else None
        if element.tag == "sel" and len(element) == 3:
            low, bits = const_of(element[1]), const_of(element[2])
            base = self.exact(element[0], scope) if low is not None and bits is not None else None
            return Place(base.signal, base.low + low, bits) if base and base.bits is not None else None
        return None

    def take(self, s, element, scope, functions, point, depth, plain=True):
        """What a statement reads."""
        if plain and len(s.writes) == 1 and s.writes[0].bits is not None:
            parts = self.spread(element, scope, functions, point, s.heads, depth, s.writes[0].low)
            if parts is not None:
                s.parts = parts
                s.reads += [place for _, _, places in parts for place in places]
                return
        s.reads += self.reads(element, scope, functions, point, s.heads, depth)

    def spread(self, element, scope, functions, point, heads, depth, low):
        """(low, bits, places) of each part of a concatenation, of which those of a part alone matter for its bits."""
        if element.tag == "concat" and len(element) == 2:
            width = self.types.width(element[1].get("dtype_id"))
            if not width:
                return None
            right = self.spread(element[1], scope, functions, point, heads, depth, low)
            left = self.spread(element[0], scope, functions, point, heads, depth, low + width)
            return None if left is None or right is None else right + left
        bits = self.types.width(element.get("dtype_id"))
        if element.tag == "cond" and len(element) == 3:
            yes, no = (self.spread(e, scope, functions, point, heads, depth, low) for e in element[1:])
            if yes is None or no is None or not bits:
                return None
            return [*yes, *no, (low, bits, self.reads(element[0], scope, functions, point, heads, depth))]
        if not bits:
            return None
        exact = self.exact(element, scope)
        if exact is not None:
            return [(low, bits, (exact,))]
        return [(low, bits, self.reads(element, scope, functions, point, heads, depth))]

    def reads(self, element, scope, functions, point, heads, depth):
        if element.tag in ("varref", "varxref"):
            signal = self.place(element, scope)
            return [Place(signal, 0, self.types.width(element.get("dtype_id")))] if signal else []
        if element.tag in ("funcref", "taskref"):
            result = self.call(element, scope, functions, point, heads, depth)
            return [result] if result else []
        exact = self.exact(element, scope) if element.tag == "sel" else None
        if exact:
            return [exact]
        found = []
        for child in element:
            found += self.reads(child, scope, functions, point, heads, depth)
        return found


def overlaps(a, b):
    """Whether two places of one signal have a bit in common."""
    return a.bits is None or b.bits is None or (a.low < b.low + b.bits and b.low < a.low + a.bits)


def sources(s, wanted):
    """What the bits of a statement's result that are wanted depend on."""
    if s.parts is None or wanted.bits is None:
        return s.reads
    found = []
    for low, bits, places in s.parts:
        first, last = max(low, wanted.low), min(low + bits, wanted.low + wanted.bits)
        if first >= last:
            continue
        if isinstance(places, Place):
            places = (places,)
        if len(places) == 1 and places[0].bits == bits:
            found.append(Place(places[0].signal, places[0].low + first - low, last - first))
        else:
            found += places
    # Reads that are no part of the value, such as an index of the target, always count.
    inside = {p for _, _, places in s.parts for p in ((places,) if isinstance(places, Place) else places)}
    return found + [p for p in s.reads if p not in inside]


def slice_back(design, starts, heads=(), runs=None, stops=(), counter=lambda point: point):
    """Statements that can change those places, each with its distance in statements, and its counter: that of the nearest statement on the
    way that has one (None: none has), as it takes what is made here. runs: of a counter, whether it did; nothing is followed through a place
    in stops; counter: that of a point."""
    found, seen = {}, collections.defaultdict(list)
    queue = collections.deque((place, 0, None) for place in starts)
    stopped = collections.defaultdict(list)
    for place in stops:
        stopped[place.signal].append(place)

    def covered(place, among):
        return any(p.bits is None or (place.bits is not None and p.low <= place.low and place.low + place.bits <= p.low + p.bits)
                   for p in among.get(place.signal, ()))

    def add(s, at, taker):
        """Returns the statement's counter."""
        point = counter(s.point) or taker
        if s not in found:
            found[s] = at, point
            add_heads(s.heads, at + 1, point)
        return point

    def add_heads(heads, at, taker):
        for head in reversed(heads):
            if head not in found:
                found[head] = at, counter(head.point) or taker
                queue.extend((p, at + 1, found[head][1]) for p in head.reads)

    add_heads(heads, 0, None)
    while queue:
        place, at, taker = queue.popleft()
        if covered(place, seen) or covered(place, stopped):
            continue
        seen[place.signal].append(place)
        for written, s in design.writers.get(place.signal, ()):
            if overlaps(written, place) and not (runs and not runs(counter(s.point))):
                point = add(s, at, taker)
                queue.extend((p, at + 1, point) for p in sources(s, place))
    return found
