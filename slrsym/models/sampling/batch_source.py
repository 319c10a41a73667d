"""Source code of descent on batches: it is printed for a model, and takes the steps of one run.

Projections of tokens stand in blocks of 64, at distances that are known, so that one instruction
evaluates several tokens.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from slrsym.kernels.numba_backend import (
    DECORATOR,
    INLINE,
    import_generated_module,
    module_name,
    program_source,
)
from slrsym.models.sampling import _batch_loop
from slrsym.models.sampling.batch_frames import FLAT_PIVOT, FLAT_SQUARE
from slrsym.models.sampling.cluster_draws import ClusterDraw
from slrsym.models.sampling.role_programs import RoleProgram

# Of so few numbers, a sum is written out, and its terms are kept in registers.
_FEW = 48


class LawColumns:
    """Where the numbers of the laws of tokens stand in a row: see `TokenLaws`.

    Parameters
    ----------
    tokens : sequence of Token
    places : dict of Direction to int
    trained : int
    """

    def __init__(self, tokens: list[Any], places: dict[Any, int], trained: int) -> None:
        self._places, at = places, 1 + trained
        self._begin: dict[Any, int] = {}
        for token in tokens:
            self._begin[token] = at
            at += len(token.eigenvalues) + len(token.mean.terms) + len(token.spikes)

    def scale(self, token: Any, space: int) -> str:
        """Return the text of an eigenvalue."""
        return f"law[{self._begin[token] + (space if len(token.eigenvalues) > 1 else 0)}]"

    def means(self, token: Any) -> list[tuple[int, int]]:
        """Return directions of the mean, each with the place of its coefficient."""
        begin = self._begin[token] + len(token.eigenvalues)
        return [(self._places[u], begin + n) for n, u in enumerate(token.mean.terms)]

    def spikes(self, token: Any) -> list[tuple[int, int]]:
        """Return directions of the spikes, each with the place of its coefficient."""
        begin = self._begin[token] + len(token.eigenvalues) + len(token.mean.terms)
        return [(self._places[u], begin + n) for n, u in enumerate(token.spikes)]


def _sum_text(terms: list[str]) -> str:
    """Return the text of a sum."""
    return " + ".join(terms) or "0.0"


class BatchSource:
    """The source code of a walk of one run, printed for the cases of an engine.

    Parameters
    ----------
    draws : list of list of ClusterDraw
    programs : dict of tuple of int to RoleProgram
        By case and role.
    shape : tuple of int
        How many eigenspaces, directions, and trained ones.
    on_sphere : list of bool
        For each trained direction.
    is_loss : bool
    parameters : list of str
    laws : LawColumns
    """

    def __init__(
        self, draws: list[list[ClusterDraw]], programs: dict[tuple[int, int], RoleProgram],
        shape: tuple[int, int, int], on_sphere: list[bool], is_loss: bool, parameters: list[str],
        laws: LawColumns,
    ) -> None:  # fmt: skip
        self._draws, self._programs, self._laws = draws, programs, laws
        self._spaces, self._p, self._t = shape
        self._width = self._spaces * self._p
        self._on_sphere, self._is_loss, self._parameters = on_sphere, is_loss, parameters
        self._lines: list[str] = []

    @property
    def text(self) -> str:
        """The module, without its head: helpers, programs of roles, and the walk."""
        parts, imports = [], []
        for key, one in self._programs.items():
            name = "_".join(map(str, key))
            source = program_source(one.program)
            imports.append(source)
            module = module_name(source)
            parts.append(
                f"from {module} import body as body_{name}, constants as constants_{name}\n"
            )
        for text in imports:
            import_generated_module(text)
        names = (
            "orthonormalise", "fill_root", "fill_sums", "move_direction", "fill_rows",
        )  # fmt: skip
        limits = "FLAT_SQUARE, FLAT_PIVOT"
        numbers = f"{FLAT_SQUARE!r}, {FLAT_PIVOT!r}"
        helpers = f"{limits} = {numbers}\n\n" + "\n\n".join(
            INLINE + inspect.getsource(getattr(_batch_loop, name)) for name in names
        )
        return f"{''.join(parts)}\n{helpers}\n\n{self._walk()}"

    def _say(self, indent: int, *lines: str) -> None:
        self._lines += [f"{' ' * 4 * indent}{line}" for line in lines]

    def _all(self) -> Iterator[tuple[int, int, ClusterDraw]]:
        for case, draws in enumerate(self._draws):
            for n, draw in enumerate(draws):
                yield case, n, draw

    def _walk(self) -> str:
        self._lines, say = [], self._say
        spaces, p, t, width = self._spaces, self._p, self._t, self._width
        named = "".join(f"{name}, " for name in self._parameters)
        say(0, DECORATOR.strip())
        say(
            0,
            "def walk(state, noted, every, done, fresh, normals, chi, uniform, laws, ends, counts,"
            f" live, room, batch, alpha, {named}):",
        )
        say(1, f"rows = np.empty(({p}, {width}))")
        say(1, f"for a in range({spaces}):", f"    for i in range({p}):",
            f"        for c in range({p}):", f"            rows[i, a * {p} + c] = state[a, i, c]"
        )  # fmt: skip
        say(1, f"inside = np.empty(({t}, {width}))", f"gram = np.empty(({spaces}, {t}, {t}))",
            f"beyond = np.zeros(({spaces}, {t}, {t}))", f"triangle = np.zeros(({t}, {t}))",
            f"moved = np.empty(({spaces}, {t}, {p + t}))", f"turned = np.empty(({t}, {2 * t}))",
            f"lower = np.empty(({t}, {t}))", f"root = np.empty(({t}, {t}))",
            f"left = np.empty(({t}, {t}))", "case, place = 0, 0",
            "chosen = np.zeros(batch, dtype=np.int64)", "places = np.zeros(batch, dtype=np.int64)",
            f"found = np.zeros({len(self._draws)}, dtype=np.int64)", "each = 1")  # fmt: skip
        for case, draws in enumerate(self._draws):
            sizes = [f"counts[{self._number(case, n)}] * {x.each}" for n, x in enumerate(draws)]
            say(1, f"each = max(each, 1 + {_sum_text(sizes)})")
        for case, n, draw in self._all():
            self._say_arrays(case, n, draw)
        self._say_constants(1, "0")
        say(1, "for step in range(normals.shape[0]):")
        say(2, "if fresh[step]:")
        self._say_constants(3, "step")
        say(2, "law, z = laws[step if laws.shape[0] > 1 else 0], normals[step]")
        for case, n, draw in self._all():
            self._say_basis(case, n, draw)
        self._say_tokens()
        for (case, i), one in self._programs.items():
            self._say_bodies(case, i, one)
        self._say_errors()
        self._say_finish()
        return "\n".join(self._lines) + "\n"

    def _number(self, case: int, n: int) -> int:
        return sum(len(draws) for draws in self._draws[:case]) + n

    def _sizes(self, draw: ClusterDraw) -> tuple[int, int, int]:
        """Return how many sums there are, vectors, and numbers of the noise of a token."""
        members = len(draw.members)
        return self._t * members, len(draw.vectors), members * draw.size

    def _say_constants(self, indent: int, step: str) -> None:
        values = ", ".join(f"{x}[{step} if {x}.size > 1 else 0]" for x in self._parameters)
        for case, i in self._programs:
            self._say(indent, f"fixed_{case}_{i} = constants_{case}_{i}({values})")

    def _say_arrays(self, case: int, n: int, draw: ClusterDraw) -> None:
        sums, q, m = self._sizes(draw)
        name = f"{case}_{n}"
        shapes = {
            "vectors": (q, m), "offsets": (q,), "along": (sums, draw.drawn), "gram": (sums, sums),
            "spread": (len(draw.members), self._width), "totals": (sums,),
        }  # fmt: skip
        if not draw.is_whole:
            square = sums, sums
            shapes |= {"basis": (q, m), "lower": (q, q), "root": square, "left": square}
            shapes["whole"] = sums, m
        if any(self._laws.means(role.token) for role in draw.members):
            shapes["means"] = len(draw.members), self._width
        self._say(1, *(f"{what}_{name} = np.zeros({shape})" for what, shape in shapes.items()))
        self._say(1, f"many_{name} = counts[{self._number(case, n)}]")
        for i in draw.roles:
            slots = self._programs[case, i].slots
            self._say(
                1, f"work_{case}_{i} = np.zeros((batch * many_{name} + 63) // 64 * {64 * slots})"
            )

    def _say_basis(self, case: int, n: int, draw: ClusterDraw) -> None:
        say, name, width, p = self._say, f"{case}_{n}", self._width, self._p
        _, q, m = self._sizes(draw)
        for i, role in enumerate(draw.members):
            for a in range(self._spaces):
                scale = self._laws.scale(role.token, a)
                say(2, f"s = sqrt({scale})", f"for w in range({a * p}, {(a + 1) * p}):",
                    f"    spread_{name}[{i}, w] = s * live[w]")  # fmt: skip
            means = self._laws.means(role.token)
            if means:
                terms = _sum_text([f"law[{at}] * rows[{place}, w]" for place, at in means])
                say(2, f"for w in range({width}):", f"    means_{name}[{i}, w] = {terms}")
        for x, (i, place) in enumerate(draw.vectors):
            if self._laws.means(draw.members[i].token):
                say(2, "s = 0.0", f"for w in range({width}):",
                    f"    s += means_{name}[{i}, w] * rows[{place}, w]",
                    f"offsets_{name}[{x}] = s")  # fmt: skip
            for j, mix in enumerate(draw.mixing[i].tolist()):
                begin = j * draw.size
                say(2, f"for w in range({width}):",
                    f"    vectors_{name}[{x}, {begin} + w] = "
                    f"{mix!r} * spread_{name}[{i}, w] * rows[{place}, w]")  # fmt: skip
                spikes = self._laws.spikes(draw.members[i].token)
                for k, (u, at) in enumerate(spikes):
                    say(2, "s = 0.0", f"for w in range({width}):",
                        f"    s += rows[{u}, w] * rows[{place}, w]",
                        f"vectors_{name}[{x}, {begin + width + k}] = {mix!r} * sqrt(law[{at}]) * s"
                    )  # fmt: skip
        if not draw.is_whole:
            say(2, f"orthonormalise(vectors_{name}, basis_{name}, lower_{name}, {q}, {m})")

    # -- tokens --------------------------------------------------------------------------------

    def _say_tokens(self) -> None:
        say = self._say
        for case, n, draw in self._all():
            name = f"{case}_{n}"
            for x, k in self._kept(draw):
                say(2, f"l_{name}_{x}_{k} = {self._matrix(draw, name)}[{x}, {k}]")
        if len(self._draws) > 1:
            say(2, "for c in range(found.size):", "    found[c] = 0", "for sample in range(batch):",
                "    case, number = 0, uniform[step, sample]",
                "    while case < ends.size - 1 and number >= ends[case]:",
                "        case += 1",
                "    chosen[sample], places[sample] = case, found[case]", "    found[case] += 1"
            )  # fmt: skip
        else:
            say(2, "for sample in range(batch):", "    places[sample] = sample",
                "found[0] = batch")  # fmt: skip
        say(2, "for sample in range(batch):")
        say(3, "place, at = places[sample], sample * each")
        for case, draws in enumerate(self._draws):
            indent = self._say_case(case)
            for n, draw in enumerate(draws):
                self._say_projections(case, n, draw, indent)

    def _say_case(self, case: int) -> int:
        """Say for which samples the next lines are; return their indent."""
        if len(self._draws) == 1:
            return 3
        self._say(3, f"if chosen[sample] == {case}:")
        return 4

    def _matrix(self, draw: ClusterDraw, name: str) -> str:
        return f"vectors_{name}" if draw.is_whole else f"lower_{name}"

    def _kept(self, draw: ClusterDraw) -> list[tuple[int, int]]:
        """Return the places in the matrix of projections, if they are few."""
        q = len(draw.vectors)
        places = [(x, k) for x in range(q) for k in range(draw.drawn if draw.is_whole else x + 1)]
        return places if len(places) <= _FEW else []

    def _spot(self, case: int, i: int) -> str:
        return f"lane // 64 * {64 * self._programs[case, i].slots} + lane % 64"

    def _say_projections(self, case: int, n: int, draw: ClusterDraw, indent: int) -> None:
        say, name = self._say, f"{case}_{n}"
        kept, matrix = self._kept(draw), self._matrix(draw, name)
        say(indent, f"lane = place * many_{name}", f"for _ in range(many_{name}):")
        for j, (i, columns) in enumerate(zip(draw.roles, draw.columns, strict=True)):
            say(indent + 1, f"spot = {self._spot(case, i)}")
            for slot, x in enumerate(columns[: self._programs[case, i].inputs]):
                target = f"work_{case}_{i}[spot + {64 * slot}]"
                if x >= len(draw.vectors):
                    here = draw.drawn + x - len(draw.vectors)
                    say(indent + 1, f"{target} = z[at + {here}]")
                    continue
                start = f"offsets_{name}[{x}]" if self._laws.means(draw.members[j].token) else "0.0"
                if kept:
                    terms = [f"l_{name}_{y}_{k} * z[at + {k}]" for y, k in kept if y == x]
                    say(indent + 1, f"{target} = {start} + {_sum_text(terms)}")
                else:
                    end = draw.drawn if draw.is_whole else x + 1
                    say(indent + 1, f"s = {start}", f"for k in range({end}):",
                        f"    s += {matrix}[{x}, k] * z[at + k]", f"{target} = s")  # fmt: skip
        say(indent + 1, "lane += 1", f"at += {draw.each}")

    def _say_bodies(self, case: int, i: int, one: RoleProgram) -> None:
        n = next(n for n, draw in enumerate(self._draws[case]) if i in draw.roles)
        size = 64 * one.slots
        inputs = "".join(f"block[{64 * k} + i], " for k in range(one.inputs))
        outputs = "".join(f"block[{64 * k} + i], " for k in range(one.inputs, one.slots))
        self._say(
            2, f"many = found[{case}] * many_{case}_{n}",
            "for start in range(0, many, 64):",
            f"    block = work_{case}_{i}[start // 64 * {size} : (start // 64 + 1) * {size}]",
            "    for i in range((min(64, many - start) + 7) // 8 * 8):",
            f"        ({outputs}) = body_{case}_{i}({inputs}*fixed_{case}_{i})",
        )  # fmt: skip

    # -- errors and weights --------------------------------------------------------------------

    def _rows(self, case: int, draw: ClusterDraw) -> list[int]:
        """Return the numbers of the sums that are not zero."""
        members = len(draw.roles)
        return [
            direction * members + j for j, i in enumerate(draw.roles)
            for direction, _ in self._programs[case, i].moving
        ]  # fmt: skip

    def _in_registers(self, case: int, draw: ClusterDraw) -> bool:
        rows = len(self._rows(case, draw))
        return rows * (draw.drawn + 1) + rows * (rows + 1) // 2 <= _FEW

    def _accumulators(self, case: int, n: int, draw: ClusterDraw) -> list[tuple[str, str, str]]:
        """Return names of accumulators, their places, and what each token adds."""
        name, rows = f"{case}_{n}", sorted(self._rows(case, draw))
        found = []
        for r in rows:
            found.append((f"t_{name}_{r}", f"totals_{name}[{r}]", f"w_{r}"))
            found += [
                (f"a_{name}_{r}_{k}", f"along_{name}[{r}, {k}]", f"w_{r} * z[at + {k}]")
                for k in range(draw.drawn)
            ]
            found += [
                (f"g_{name}_{r}_{u}", f"gram_{name}[{r}, {u}]", f"w_{r} * w_{u}")
                for u in rows if u <= r
            ]  # fmt: skip
        return found

    def _say_errors(self) -> None:
        say = self._say
        for case, n, draw in self._all():
            if self._in_registers(case, draw):
                for register, _, _ in self._accumulators(case, n, draw):
                    say(2, f"{register} = 0.0")
            else:
                sums, name = self._sizes(draw)[0], f"{case}_{n}"
                say(2, f"for r in range({sums}):", f"    totals_{name}[r] = 0.0",
                    f"    for k in range({draw.drawn}):", f"        along_{name}[r, k] = 0.0",
                    f"    for k in range({sums}):", f"        gram_{name}[r, k] = 0.0")  # fmt: skip
        say(2, "for sample in range(batch):")
        say(3, "place, at = places[sample], sample * each")
        for case, draws in enumerate(self._draws):
            indent = self._say_case(case)
            say(indent, "error = law[0] * z[at + each - 1]")
            attentive = [
                i for draw in draws for i in draw.roles if self._programs[case, i].has_score
            ]
            for n, draw in enumerate(draws):
                for i in draw.roles:
                    one = self._programs[case, i]
                    say(indent, *self._lanes(case, n),
                        f"    error += work_{case}_{i}[{self._spot(case, i)} + {64 * one.inputs}]"
                    )  # fmt: skip
            if attentive:
                self._say_softmax(case, draws, attentive, indent)
            say(indent, "scale = 1.0 / batch" if self._is_loss else "scale = 2.0 * error / batch")
            for n, draw in enumerate(draws):
                self._say_weights(case, n, draw, indent)
        for case, n, draw in self._all():
            if self._in_registers(case, draw):
                for register, target, _ in self._accumulators(case, n, draw):
                    say(2, f"{target} = {register}")
            sums, name = self._sizes(draw)[0], f"{case}_{n}"
            say(2, f"for r in range({sums}):", "    for u in range(r):",
                f"        gram_{name}[u, r] = gram_{name}[r, u]")  # fmt: skip

    def _lanes(self, case: int, n: int) -> tuple[str, ...]:
        """Return the head of a loop over the tokens of a sample."""
        return (f"for lane in range(place * many_{case}_{n}, (place + 1) * many_{case}_{n}):",)

    def _say_softmax(
        self, case: int, draws: list[ClusterDraw], attentive: list[int], indent: int
    ) -> None:
        say = self._say
        of = {i: n for n, draw in enumerate(draws) for i in draw.roles}
        slots = {
            i: [64 * (one.inputs + 1 + len(one.moving) + k) for k in range(3)]
            for i in attentive for one in (self._programs[case, i],)
        }  # fmt: skip
        say(indent, "top, total, mixed = -np.inf, 0.0, 0.0")
        first = attentive[0]
        extra = f"work_{case}_{first}[spot + {slots[first][2]}]"
        say(indent, f"lane = place * many_{case}_{of[first]}", f"spot = {self._spot(case, first)}",
            f"extra = {extra}", "if extra != 0.0:", "    top = 0.0")  # fmt: skip
        for i in attentive:
            say(indent, *self._lanes(case, of[i]), f"    spot = {self._spot(case, i)}",
                f"    top = max(top, work_{case}_{i}[spot + {slots[i][1]}])")  # fmt: skip
        say(indent, "if extra != 0.0:", "    total = extra * exp(-top)")
        for i in attentive:
            factor, score, kept = slots[i]
            say(indent, *self._lanes(case, of[i]), f"    spot = {self._spot(case, i)}",
                f"    e = exp(work_{case}_{i}[spot + {score}] - top)",
                "    total += e", f"    mixed += e * work_{case}_{i}[spot + {factor}]",
                f"    work_{case}_{i}[spot + {kept}] = e")  # fmt: skip
        say(indent, "mixed /= total", "error += mixed")

    def _say_weights(self, case: int, n: int, draw: ClusterDraw, indent: int) -> None:
        say, name, members = self._say, f"{case}_{n}", len(draw.roles)
        if not any(self._programs[case, i].moving for i in draw.roles):
            say(indent, f"at += many_{name} * {draw.each}")
            return
        say(indent, *self._lanes(case, n))
        for j, i in enumerate(draw.roles):
            one, work = self._programs[case, i], f"work_{case}_{i}"
            say(indent + 1, f"spot = {self._spot(case, i)}")
            count = len(one.moving)
            at = [64 * (one.inputs + k) for k in range(one.program.outputs)]
            if one.has_score:
                say(indent + 1, f"share = {work}[spot + {at[3 + count]}] / total",
                    f"apart = {work}[spot + {at[1 + count]}] - mixed")  # fmt: skip
            for k, (direction, _) in enumerate(one.moving):
                slope = f"{work}[spot + {at[1 + k]}]"
                if one.has_score:
                    of_factor, of_score = at[4 + count + k], at[4 + 2 * count + k]
                    rate = f"{work}[spot + {of_factor}] + apart * {work}[spot + {of_score}]"
                    slope += f" + share * ({rate})"
                say(indent + 1, f"w_{direction * members + j} = scale * ({slope})")
        if self._in_registers(case, draw):
            for register, _, added in self._accumulators(case, n, draw):
                say(indent + 1, f"{register} += {added}")
        else:
            rows = sorted(self._rows(case, draw))
            for r in rows:
                say(indent + 1, f"totals_{name}[{r}] += w_{r}", f"for k in range({draw.drawn}):",
                    f"    along_{name}[{r}, k] += w_{r} * z[at + k]")  # fmt: skip
                for u in rows:
                    if u <= r:
                        say(indent + 1, f"gram_{name}[{r}, {u}] += w_{r} * w_{u}")
        say(indent + 1, f"at += {draw.each}")

    # -- the step ------------------------------------------------------------------------------

    def _say_finish(self) -> None:
        say, spaces, p, t, width = self._say, self._spaces, self._p, self._t, self._width
        for i in range(t):
            say(2, f"for w in range({width}):", f"    inside[{i}, w] = law[{1 + i}] * rows[{i}, w]")
        say(2, f"for a in range({spaces}):", f"    for i in range({t}):",
            f"        for j in range({t}):", "            gram[a, i, j] = 0.0",
            "rest = batch * each",
        )  # fmt: skip
        for case, n, draw in self._all():
            self._say_sums(case, n, draw)
        below = t * (t - 1) // 2
        say(2, f"for a in range({spaces}):")
        say(3, f"fill_root(gram[a], root, left, {t})", "at = rest", f"for i in range({t}):",
            "    for j in range(i):",
            "        triangle[i, j] = z[at] if room[a] > j else 0.0", "        at += 1",
            f"    triangle[i, i] = sqrt(chi[step, a * {t} + i])", f"rest += {below}",
            f"for i in range({t}):", f"    for j in range({t}):", "        s = 0.0",
            "        for k in range(j, i + 1):", "            s += root[i, k] * triangle[k, j]",
            "        beyond[a, i, j] = s")  # fmt: skip
        sizes = f"{spaces}, {p}, {t}"
        for i, on in enumerate(self._on_sphere):
            say(
                2,
                f"move_direction(rows, inside, beyond, moved, {i}, {on}, alpha, {sizes})",
            )
        say(2, f"fill_rows(rows, moved, turned, lower, room, {spaces}, {p}, {t})")
        note = [
            f"for a in range({spaces}):", f"    for i in range({t}):",
            f"        for c in range({p}):", f"            TARGET[a, i, c] = rows[i, a * {p} + c]",
        ]  # fmt: skip
        say(2, "if (done + step + 1) % every == 0:", "    row = (done + step + 1) // every - 1")
        say(3, f"for a in range({spaces}):", f"    for i in range({t}, {p}):",
            f"        for c in range({p}):",
            f"            noted[row, a, i, c] = rows[i, a * {p} + c]")  # fmt: skip
        say(3, *(line.replace("TARGET[", "noted[row, ") for line in note))
        say(1, *(line.replace("TARGET[", "state[") for line in note))

    def _say_sums(self, case: int, n: int, draw: ClusterDraw) -> None:
        say, name, t, members = self._say, f"{case}_{n}", self._t, len(draw.roles)
        sums, q, m = self._sizes(draw)
        whole = f"along_{name}"
        if not draw.is_whole:
            whole, sizes = f"whole_{name}", f"{sums}, {q}, {m}"
            say(2, f"fill_root(gram_{name}, root_{name}, left_{name}, {sums})",
                f"fill_sums({whole}, along_{name}, basis_{name}, root_{name}, z, rest, {sizes})",
                f"rest += {draw.rest}")  # fmt: skip
        for direction in range(t):
            for j, role in enumerate(draw.members):
                r = direction * members + j
                mixes = [(k * draw.size, x) for k, x in enumerate(draw.mixing[j].tolist()) if x]
                terms = [f"{x!r} * {whole}[{r}, {begin} + w]" for begin, x in mixes]
                mean = f" + totals_{name}[{r}] * means_{name}[{j}, w]"
                mean = mean if self._laws.means(role.token) else ""
                say(2, f"for w in range({self._width}):",
                    f"    own = {_sum_text(terms)}",
                    f"    inside[{direction}, w] += spread_{name}[{j}, w] * own{mean}")  # fmt: skip
                for k, (u, at) in enumerate(self._laws.spikes(role.token)):
                    own = [f"{x!r} * {whole}[{r}, {begin + self._width + k}]" for begin, x in mixes]
                    say(2, f"s = sqrt(law[{at}]) * ({_sum_text(own)})",
                        f"for w in range({self._width}):",
                        f"    inside[{direction}, w] += s * rows[{u}, w]")  # fmt: skip
        both = (draw.mixing @ draw.mixing.T).tolist()
        for a in range(self._spaces):
            scales = [f"sqrt({self._laws.scale(role.token, a)})" for role in draw.members]
            for i in range(members):
                for j in range(members):
                    say(2, f"s = {both[i][j]!r} * {scales[i]} * {scales[j]}",
                        f"for i in range({t}):", f"    for j in range({t}):",
                        f"        gram[{a}, i, j] += s * gram_{name}"
                        f"[i * {members} + {i}, j * {members} + {j}]")  # fmt: skip
