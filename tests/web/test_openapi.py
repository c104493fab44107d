"""The API conforms to its own description, whatever the request."""

from __future__ import annotations

from typing import Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    positive_data_acceptance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from inarow.web.app import create_app

schema = schemathesis.openapi.from_dict(create_app().openapi())


@schema.parametrize()
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_described(case: schemathesis.Case[Any], server_address: str) -> None:
    # What fits the description is accepted, or is against the rules of the game (409): a description
    # cannot say which lengths of a line a board has, nor which moves are legal.
    # A batch may search many positions, one after the other.
    answer = case.call(base_url=server_address, timeout=120)
    sized = answer.status_code in (413, 414)  # too large: the checks know only what is well formed
    judged = [] if sized else [negative_data_rejection, positive_data_acceptance]
    case.validate_response(
        answer,
        checks=[
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_headers_conformance,
            response_schema_conformance,
            unsupported_method,
            *judged,
        ],
    )
