"""The documents of a store in pages, with what a list of them shows."""

from __future__ import annotations

from sqlalchemy import Connection, Select, func, select, tuple_

from headwise.stores.filters import allowed_documents
from headwise.stores.schema import chunks, documents, roots
from headwise.stores.store import Filters, Listed


def list_documents(connection: Connection, filters: Filters, after: tuple[str, str], limit: int) -> list[Listed]:
    """Up to *limit* documents that *filters* let through, in order of root and path, from behind *after* on."""
    page = (
        _meant(filters)
        .add_columns(roots.c.name.label("root"), documents.c.path, documents.c.title, documents.c.mtime_ns)
        .where(tuple_(roots.c.name, documents.c.path) > after)
        .order_by(roots.c.name, documents.c.path)
        .limit(limit)
        .subquery()
    )
    sums = (
        select(
            page, func.count(chunks.c.id).label("chunks"), func.coalesce(func.sum(chunks.c.tokens), 0).label("tokens")
        )
        .outerjoin(chunks, chunks.c.document_id == page.c.id)
        .group_by(*page.c)
        .order_by(page.c.root, page.c.path)
    )
    return [
        Listed(row.root, row.path, row.title, row.mtime_ns, row.chunks, int(row.tokens))
        for row in connection.execute(sums)
    ]


def count_documents(connection: Connection, filters: Filters) -> int:
    """How many documents *filters* let through."""
    return connection.execute(select(func.count()).select_from(_meant(filters).subquery())).scalar_one()


def _meant(filters: Filters) -> Select[int]:
    """Documents that do not keep themselves out."""
    meant = select(documents.c.id).join(roots, roots.c.id == documents.c.root_id).where(~documents.c.excluded)
    allowed = allowed_documents(filters)
    return meant if allowed is None else meant.where(documents.c.id.in_(allowed))


def sizes(connection: Connection) -> dict[int, int]:
    """Size of a chunk in tokens → how many have it, in ascending order."""
    counted = select(chunks.c.tokens, func.count()).group_by(chunks.c.tokens).order_by(chunks.c.tokens)
    return dict(connection.execute(counted).all())
