"""A JSON Schema and the documents that it describes: it says what they have, and nothing more. Every object is closed: it lists its fields,
each with a description, or has a schema for fields of any name. Every field occurs, and it would be noticed if the schema lacked it."""
import copy

import jsonschema


def resolve(root, schema, value=None):
    """Without $ref; of anyOf that which has the fields of the value."""
    if "$ref" in schema:
        file, _, path = schema["$ref"].partition("#/")
        if file:
            return None  # Another file's, which has a test of its own
        schema = root
        for part in path.split("/"):
            schema = schema[part]
    if "anyOf" in schema:
        those = [resolve(root, one) for one in schema["anyOf"]]
        return next((one for one in those if one.get("type") == "object" and isinstance(value, dict) and set(one.get("required", ())) <= set(value)),
                    schema)
    return schema


def objects(schema, path):
    """All subschemas, with a name for each."""
    yield path, schema
    for name, sub in schema.get("properties", {}).items():
        yield from objects(sub, f"{path}.{name}")
    for name, sub in schema.get("$defs", {}).items():
        yield from objects(sub, f"$defs.{name}")
    if "items" in schema:
        yield from objects(schema["items"], path + "[]")
    for sub in schema.get("anyOf", ()):
        yield from objects(sub, path + "[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from objects(schema["additionalProperties"], path + "[]")


def walk(root, schema, value, path, used):
    """Which fields of the schema a document has: their paths go into used."""
    schema = resolve(root, schema, value)
    if not schema:
        return
    if isinstance(value, dict):
        for key, sub in value.items():
            if key in schema.get("properties", {}):
                used.add(f"{path}.{key}")
                walk(root, schema["properties"][key], sub, f"{path}.{key}", used)
            else:
                walk(root, schema["additionalProperties"], sub, path + "[]", used)
    elif isinstance(value, list):
        for sub in value:
            walk(root, schema["items"], sub, path + "[]", used)


def fields(root, schema, path):
    schema = resolve(root, schema)
    if not schema:
        return
    for one in (schema, *(resolve(root, one) for one in schema.get("anyOf", ()))):
        for key, sub in one.get("properties", {}).items():
            yield f"{path}.{key}"
            yield from fields(root, sub, f"{path}.{key}")
    for sub in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(sub, dict):
            yield from fields(root, sub, path + "[]")


def without_each_field(schema, name):
    """The schema with one field missing, for each field: the path of the field, and that schema."""
    schema = copy.deepcopy(schema)
    for path, sub in list(objects(schema, name)):
        for field in list(sub.get("properties", {})):
            kept = sub["properties"].pop(field)
            required = sub.get("required")
            if required:
                sub["required"] = [r for r in required if r != field]
            yield f"{path}.{field}", schema
            sub["properties"][field] = kept
            if required:
                sub["required"] = required


def judge(schema, documents, check, name, others=None):
    """check(good, *what) is called with all of the above. documents: (title, document). others: schemas that it refers to, by their files' names.
    Returns the numbers of fields that occur and of those that it was tried without."""
    jsonschema.Draft202012Validator.check_schema(schema)
    for path, sub in objects(schema, name):
        if sub.get("type") == "object":
            closed = sub.get("additionalProperties")
            check(closed is False or isinstance(closed, dict), path, "admits fields that it does not list")
            check(sub.get("properties") or isinstance(closed, dict), path, "lists no fields")
            check(set(sub.get("required", [])) <= set(sub.get("properties", {})), path, "requires fields that it does not list")
        if path != name and not path.endswith("[]"):
            check(sub.get("description") or "$ref" in sub, path, "is not described")

    def validator(of):
        return jsonschema.Draft202012Validator(of, resolver=jsonschema.RefResolver("", of, store=others or {}))

    used, with_field, whole = set(), {}, validator(schema)
    for title, document in documents:
        error = next(whole.iter_errors(document), None)
        if check(not error, f"{title}: {error and '.'.join(map(str, error.path))}: {error and error.message}"):
            own = set()
            walk(schema, schema, document, name, own)
            used |= own
            for path in own:
                with_field.setdefault(path.rsplit(".", 1)[1], []).append(document)
    missing = set(fields(schema, schema, name)) - used
    check(not missing, "fields that no document has:", ", ".join(sorted(missing)))
    tried = 0
    for path, poorer in without_each_field(schema, name):
        tried += 1
        poor = validator(poorer)
        some = with_field.get(path.rsplit(".", 1)[1], [])  # The name alone: a path in $defs is none of a document's
        check(any(not poor.is_valid(document) for document in some), path, "can be left out of the schema unnoticed")
    return len(used), tried
