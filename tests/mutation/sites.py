"""Where C source can be mutated: every operator, constant, condition, statement and call of a translation unit, by libclang.

A site is a range of the file's own text, also inside a macro's argument; what only a macro's body says is no site. Neither is what
has to be constant (labels, sizes, static tables) nor what a message prints: arguments after a format, and how much fits.
Some mutants are the same program for a reason that the text itself shows: they are left out.
"""
import ctypes
import re

from clang import cindex
from clang.cindex import CursorKind as K, TypeKind as T

OPERATORS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<",
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=", "^=": "|=", "*=": "+=", "/=": "*=", "<<=": ">>=", ">>=": "<<=",
    "++": "--", "--": "++",
}
# To ask these for more changes no result, nor which argument of calloc() is which.
ALLOCATORS = {"malloc", "calloc", "realloc"}
# Their first two arguments may change places: those that compare are asked for equality alone, a NaN gives the canonical one.
COMMUTATIVE = {"strcmp", "strncmp", "memcmp", "karat_meets", "karat_within_bound"} | {
    f"karat_f{width}_{operation}" for width in (16, 32, 64) for operation in ("add", "mul", "fma", "min", "max", "eq")}
PRINTERS = {"snprintf", "vsnprintf"}
# Deleting these changes no result: a leak is what the sanitizers find, text what reports say.
KEPT_CALLS = {"free", "snprintf", "vsnprintf", "va_start", "va_end", "XXH3_freeState"}
INTEGERS = {T.BOOL, T.CHAR_U, T.UCHAR, T.USHORT, T.UINT, T.ULONG, T.ULONGLONG, T.CHAR_S, T.SCHAR, T.SHORT, T.INT, T.LONG,
            T.LONGLONG, T.ENUM}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")


def _file_location():
    function = cindex.conf.lib.clang_getFileLocation
    function.argtypes = [cindex.SourceLocation, ctypes.POINTER(cindex.c_object_p)] + [ctypes.POINTER(ctypes.c_uint)] * 3
    function.restype = None

    def locate(location):
        """File and offset; inside a macro's argument those of the argument."""
        file, line, column, offset = cindex.c_object_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        function(location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(column), ctypes.byref(offset))
        return (cindex.File(file).name if file else None), offset.value

    return locate


file_location = _file_location()


def normalise(text):
    return " ".join(COMMENT.sub(" ", text).split())


def balanced(text):
    stack = []
    for c in re.sub(r"'(\\.|[^'\\])'|\"(\\.|[^\"\\])*\"", "", COMMENT.sub("", text)):
        if c in "([{":
            stack.append(c)
        elif c in ")]}" and (not stack or "([{".index(stack.pop()) != ")]}".index(c)):
            return False
    return not stack


class Site:
    """One mutation: text[start:end] of a file becomes new; a statement goes where new is None."""

    def __init__(self, unit, node, kind, start, end, new, context):
        self.file, self.function, self.kind = unit.name, unit.function, kind
        self.start, self.end, self.new = start, end, new
        self.line = unit.text.count("\n", 0, start) + 1
        first, last = context if context else (start, end)
        self.before = normalise(unit.text[first:last])
        self.after = normalise(unit.text[first:start] + (new or "") + unit.text[end:last])
        self.nth = 0

    def key(self):
        return self.file, self.function, self.kind, self.before, self.after, self.nth


class Unit:
    """The text of one file, while its functions are walked."""

    def __init__(self, name, text, macros):
        self.name, self.text, self.function, self.sites = name, text, None, []
        self.macros = macros  # [(start, end)] of calls of macros with arguments


class Finder:
    def __init__(self, root, wanted):
        self.root, self.wanted = root, wanted  # wanted(name): whether that file is mutated
        self.units, self.done = {}, set()
        self.allocates = False  # Within the arguments of an allocation
        self.choices = set()  # Comparisons that choose between what they compare

    def parse(self, path, flags):
        options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        tu = cindex.Index.create().parse(str(path), args=flags, options=options)
        errors = [d for d in tu.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if errors:
            raise SystemExit(f"mutate.py: {errors[0]}")
        macros, functions, names = {}, [], {}
        for node in tu.cursor.get_children():
            if not node.location.file:
                continue
            raw = node.location.file.name
            if raw not in names:
                names[raw] = self.relative(raw)
            name = names[raw]
            if name is None:
                continue
            if node.kind == K.MACRO_INSTANTIATION:
                macros.setdefault(name, []).append((node.extent.start.offset, node.extent.end.offset))
            elif node.kind == K.FUNCTION_DECL and node.is_definition():
                functions.append((name, node))
        for name, node in functions:
            if name not in self.units:
                self.units[name] = Unit(name, (self.root / name).read_text(encoding="utf-8"), [])
            unit = self.units[name]
            unit.macros = {m for m in macros.get(name, []) if "(" in unit.text[m[0]:m[1]]}
            place = name, node.extent.start.offset, node.spelling
            if place in self.done:
                continue
            self.done.add(place)
            unit.function = node.spelling
            body = [c for c in node.get_children() if c.kind == K.COMPOUND_STMT]
            if body:
                self.statement(unit, body[0])

    def relative(self, name):
        path = (self.root / name).resolve()
        if not path.is_relative_to(self.root):
            return None
        name = str(path.relative_to(self.root))
        return name if self.wanted(name) else None

    # --- Ranges ---

    def range_of(self, unit, node):
        """(start, end) in the file's text, or None where the node is not wholly there."""
        (file, start), (last, end) = file_location(node.extent.start), file_location(node.extent.end)
        if not file or file != last or self.relative(file) != unit.name or start >= end:
            return None
        text = unit.text[start:end]
        if not balanced(text) or text[0] in ")]},;" or text[-1] in "([{,":
            return None
        for first, behind in unit.macros:
            if first == start and end <= behind and not (node.kind == K.CALL_EXPR and text.startswith(node.spelling + "(")):
                return None
            if first < start < first + 1 or start < first < end < behind:
                return None
        return start, end

    def add(self, unit, node, kind, where, new, context):
        unit.sites.append(Site(unit, node, kind, *where, new, context))

    # --- Statements ---

    def statement(self, unit, node):
        kind, children = node.kind, list(node.get_children())
        if kind == K.COMPOUND_STMT:
            for child in children:
                self.statement(unit, child)
        elif kind == K.IF_STMT:
            self.condition(unit, children[0], ("negate", "true", "false"))
            for child in children[1:]:
                self.statement(unit, child)
        elif kind == K.WHILE_STMT:
            self.condition(unit, children[0], ("false",))
            self.statement(unit, children[1])
        elif kind == K.DO_STMT:
            self.statement(unit, children[0])
            self.condition(unit, children[1], ("false",))
        elif kind == K.FOR_STMT:
            self.loop(unit, node, children)
        elif kind == K.SWITCH_STMT:
            self.expression(unit, children[0], self.range_of(unit, children[0]))
            self.statement(unit, children[1])
        elif kind == K.CASE_STMT:
            for child in children[1:]:
                self.statement(unit, child)
        elif kind == K.DEFAULT_STMT:
            for child in children:
                self.statement(unit, child)
        elif kind == K.DECL_STMT:
            context = self.range_of(unit, node)
            for child in children:
                if child.kind == K.VAR_DECL:
                    self.variable(unit, child, context)
        elif kind == K.RETURN_STMT:
            context = self.range_of(unit, node)
            for child in children:
                self.expression(unit, child, context)
            if not children:
                self.delete(unit, node)
        elif kind in (K.BREAK_STMT, K.CONTINUE_STMT):
            self.delete(unit, node)
        elif kind.is_expression():
            if self.does_something(node):
                self.delete(unit, node)
            self.expression(unit, node, self.range_of(unit, node))

    def does_something(self, node):
        if node.kind == K.CALL_EXPR:
            return node.spelling not in KEPT_CALLS
        return node.kind in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR)

    def delete(self, unit, node):
        where = self.range_of(unit, node)
        if not where:
            return
        behind = COMMENT.sub("", unit.text[where[1]:]).lstrip()
        if behind.startswith(";") and re.search(r"([;{}):]|\belse|\bdo)\s*$", COMMENT.sub("", unit.text[:where[0]])):
            self.add(unit, node, "deleted", where, None, where)

    def variable(self, unit, node, context):
        if node.storage_class == cindex.StorageClass.STATIC:
            return
        where = self.range_of(unit, node)
        if not where or "=" not in unit.text[where[0]:where[1]]:
            return
        behind = unit.text.index("=", where[0])
        for child in node.get_children():
            inner = self.range_of(unit, child)
            if inner and inner[0] > behind:
                self.expression(unit, child, context)

    def loop(self, unit, node, children):
        self.statement(unit, children[-1])
        where = self.range_of(unit, node)
        head = children[:-1]
        if not where:
            for child in head:
                self.expression(unit, child, None)
            return
        semicolons, depth = [], 0
        for i in range(unit.text.index("(", where[0]), where[1]):
            c = unit.text[i]
            depth += (c in "([{") - (c in ")]}")
            if c == ";" and depth == 1:
                semicolons.append(i)
            if depth == 0:
                context = where[0], i + 1
                break
        for child in head:
            if child.kind == K.DECL_STMT:
                for declared in child.get_children():
                    if declared.kind == K.VAR_DECL:
                        self.variable(unit, declared, context)
                continue
            inner = self.range_of(unit, child)
            if inner and semicolons[0] < inner[0] < semicolons[1]:
                self.condition(unit, child, ("false",), context)
            else:
                self.expression(unit, child, context)

    # --- Expressions ---

    def condition(self, unit, node, ways, context=None):
        where = self.range_of(unit, node)
        context = context or where
        if where:
            text = unit.text[where[0]:where[1]]
            news = {"negate": f"!({text})", "true": "1", "false": "0"}
            for way in ways:
                self.add(unit, node, "condition", where, news[way], context)
        self.expression(unit, node, context)

    def expression(self, unit, node, context):
        kind = node.kind
        if kind == K.CXX_UNARY_EXPR:  # Operator sizeof
            return
        children = list(node.get_children())
        if kind == K.BINARY_OPERATOR or kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
            self.binary(unit, node, children, context)
        elif kind == K.UNARY_OPERATOR:
            self.unary(unit, node, context)
        elif kind == K.CONDITIONAL_OPERATOR:
            self.choices |= self.of_two(unit, children)
            self.condition(unit, children[0], ("negate", "true", "false"), context)
            children = children[1:]
        elif kind == K.INTEGER_LITERAL:
            self.integer(unit, node, context)
        elif kind == K.CHARACTER_LITERAL:
            where = self.range_of(unit, node)
            if where:
                self.add(unit, node, "constant", where, f"({unit.text[where[0]:where[1]]} + 1)", context)
        elif kind == K.DECL_REF_EXPR and node.referenced is not None and node.referenced.kind == K.ENUM_CONSTANT_DECL:
            self.enumerator(unit, node, context)
        elif kind == K.CALL_EXPR:
            children = self.call(unit, node, context)
        before = self.allocates
        self.allocates |= kind == K.CALL_EXPR and node.spelling in ALLOCATORS
        for child in children:
            if child.kind.is_expression() or child.kind == K.INIT_LIST_EXPR:
                self.expression(unit, child, context)
        self.allocates = before

    def binary(self, unit, node, children, context):
        where, left, right = (self.range_of(unit, n) for n in [node] + children)
        if not where or not left or not right or left[1] > right[0]:
            return
        operator = COMMENT.sub("", unit.text[left[1]:right[0]]).strip()
        if operator not in OPERATORS:
            return
        text = unit.text
        pointers = [c.type.get_canonical().kind in (T.POINTER, T.CONSTANTARRAY) for c in children]
        if (unit.name, *where) in self.choices:
            return
        more = self.allocates and OPERATORS[operator] in ("*", "+") and operator != "*"
        if not more and not (any(pointers) and operator in "-*"):
            at = text.index(operator, left[1])
            new = text[where[0]:at] + OPERATORS[operator] + text[at + len(operator):where[1]]
            self.add(unit, node, "operator", where, new, context)
        if operator == "-" and not any(pointers):
            new = f"{text[right[0]:right[1]]} - ({text[left[0]:left[1]]})"
            self.add(unit, node, "swapped", where, new, context)
        if operator in ("&&", "||"):
            for operand in left, right:
                self.add(unit, node, "condition", operand, "1" if operator == "&&" else "0", context)

    def of_two(self, unit, children):
        """The range of a < b in a < b ? a : b and a < b ? 0 : a - b, in any order of the two: where they are equal either will do."""
        ranges = [self.range_of(unit, n) for n in [*children, *children[0].get_children()]]
        if children[0].kind != K.BINARY_OPERATOR or len(ranges) != 5 or None in ranges:
            return set()
        texts = [normalise(unit.text[start:end]) for start, end in ranges]
        operator = COMMENT.sub("", unit.text[ranges[3][1]:ranges[4][0]]).strip()
        left, right = texts[3:]
        same = {left, right}, {f"{left} - {right}", "0"}, {f"{left} - ({right})", "0"}
        return {(unit.name, *ranges[0])} if operator in ("<", ">", "<=", ">=") and set(texts[1:3]) in same else set()

    def unary(self, unit, node, context):
        where = self.range_of(unit, node)
        if not where:
            return
        text = unit.text[where[0]:where[1]]
        if text[:2] in ("++", "--"):
            new = OPERATORS[text[:2]] + text[2:]
        elif text[-2:] in ("++", "--"):
            new = text[:-2] + OPERATORS[text[-2:]]
        elif text[0] == "!":
            new = "!!" + text[1:]
        elif text[0] in "~-":
            new = f"({text[1:]})"
        else:
            return
        self.add(unit, node, "operator", where, new, context)

    def integer(self, unit, node, context):
        where = self.range_of(unit, node)
        if not where:
            return
        text = unit.text[where[0]:where[1]]
        match = NUMBER.match(text)
        if text in ("true", "false"):
            news = ["false" if text == "true" else "true"]
        elif match:
            value = int(match[1], 16 if match[1][:2] in ("0x", "0X") else 10)
            show = (lambda n: f"{n:#x}{match[2]}") if match[1][:2] in ("0x", "0X") else (lambda n: f"{n}{match[2]}")
            near = {value + 1 if value < 0x7fffffff else value - 1, value - 1 if value else 1}
            if self.allocates:
                near.discard(value + 1)
            news = [show(n) for n in sorted(near)]
        elif re.fullmatch(r"[A-Z][A-Z0-9_]*", text) and text != "NULL":
            news = [f"({text} - 1)"] if "MAX" in text else [] if self.allocates else [f"({text} + 1)"]
        else:
            return
        for new in news:
            self.add(unit, node, "constant", where, new, context)

    def enumerator(self, unit, node, context):
        where = self.range_of(unit, node)
        if not where or unit.text[where[0]:where[1]] != node.spelling:
            return
        values = [c for c in node.referenced.semantic_parent.get_children() if c.kind == K.ENUM_CONSTANT_DECL]
        names = [c.spelling for c in values]
        i = names.index(node.spelling)
        for other in values[i + 1:] + values[:i]:
            if other.enum_value != node.referenced.enum_value:
                self.add(unit, node, "constant", where, other.spelling, context)
                return

    def call(self, unit, node, context):
        arguments = list(node.get_arguments())
        function = node.referenced
        if function is not None and function.kind == K.FUNCTION_DECL and function.type.is_function_variadic():
            arguments = arguments[:len(list(function.get_arguments()))]
        if node.spelling in PRINTERS:
            return arguments[:1]
        where, ranges = self.range_of(unit, node), [self.range_of(unit, a) for a in arguments]
        for i in range(len(arguments) - 1):
            a, b = ranges[i], ranges[i + 1]
            if not where or not a or not b or not a[1] <= b[0] or not self.same_type(arguments[i], arguments[i + 1]) or \
                    node.spelling == "calloc":
                continue
            text = unit.text
            first, second = text[a[0]:a[1]], text[b[0]:b[1]]
            if normalise(first) != normalise(second) and not (i == 0 and node.spelling in COMMUTATIVE):
                new = text[where[0]:a[0]] + second + text[a[1]:b[0]] + first + text[b[1]:where[1]]
                self.add(unit, node, "swapped", where, new, context)
        return arguments

    @staticmethod
    def same_type(a, b):
        a, b = a.type.get_canonical(), b.type.get_canonical()
        if a.kind in INTEGERS and b.kind in INTEGERS:
            return True
        if a.kind in (T.POINTER, T.CONSTANTARRAY, T.INCOMPLETEARRAY) and b.kind in (T.POINTER, T.CONSTANTARRAY, T.INCOMPLETEARRAY):
            inner = [(t.get_pointee() if t.kind == T.POINTER else t.element_type).get_canonical().spelling for t in (a, b)]
            return inner[0].replace("const ", "") == inner[1].replace("const ", "")
        return False
