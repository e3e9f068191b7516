"""Runs the scenario that all SDKs share against a service."""

import json
import os
import re
import unittest

import chainfold


def _snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _filled(value, saved):
    if isinstance(value, str):
        return saved[value[1:]] if value.startswith("$") else value
    if isinstance(value, list):
        return [_filled(item, saved) for item in value]
    if isinstance(value, dict):
        return {name: _filled(member, saved) for name, member in value.items()}
    return value


def _method(client, name, is_iterator):
    api, operation = name.split(".")
    method = _snake(operation)
    if is_iterator:
        method = re.sub(r"(?:(?<=ss)e)?s$", "", method.replace("list_", "each_", 1))
    return getattr(getattr(client, api), method)


def _verify(step):
    try:
        notification = chainfold.verify_webhook(
            step["body"], step["headers"], step.get("secrets", ()), public_key=step.get("public_keys", ()), now=step["now"]
        )
    except chainfold.WebhookVerificationError:
        return None
    return notification["webhook_history_id"]


def _run(client, step, saved):
    if "verify" in step:
        return {"verified": _verify(step["verify"])}
    request = _filled(step["request"], saved)
    options = chainfold.CallOptions(idempotency_key=step.get("idempotency_key"))
    try:
        if "each" in step:
            return {"items": list(_method(client, step["each"], True)(**request, options=options))}
        return {"answer": _method(client, step["call"], False)(**request, options=options)}
    except chainfold.ProblemError as error:
        paths = [one["path"] for one in error.errors]
        return {"error": {"code": error.code, "status": error.status, "retryable": error.retryable, "paths": paths}}


@unittest.skipUnless("CHAINFOLD_URL" in os.environ, "CHAINFOLD_URL is not set")
class Scenario(unittest.TestCase):
    def test_scenario(self):
        environment = os.environ
        client = chainfold.Client(
            environment["CHAINFOLD_URL"], environment["CHAINFOLD_API_KEY"], environment["CHAINFOLD_API_SECRET"]
        )
        with open(environment["CHAINFOLD_SCENARIO"], encoding="utf-8") as file:
            steps = json.load(file)["steps"]
        saved, results = {}, []
        for step in steps:
            with self.subTest(step["name"]):
                result = _run(client, step, saved)
                for name, field in step.get("save", {}).items():
                    saved[name] = result["answer"][field]
                self.assertEqual(result.get("error", {}).get("code"), step.get("error"))
                if "count" in step:
                    self.assertEqual(len(result["items"]), step["count"])
                if "verify" in step:
                    self.assertEqual(result["verified"] is not None, step["verify"]["valid"])
                results.append({"fields": sorted(result["answer"])} if step.get("own") else result)
        with open(environment["CHAINFOLD_TRANSCRIPT"], "w", encoding="utf-8") as file:
            json.dump(results, file)

    def test_errors_have_classes(self):
        self.assertTrue(issubclass(chainfold.NotFoundError, chainfold.ProblemError))


if __name__ == "__main__":
    unittest.main()
