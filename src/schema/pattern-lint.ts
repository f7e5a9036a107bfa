import { type CodePoints, parsePattern, PatternProblem, type Piece, type Sequence } from './pattern-syntax.ts';

/**
 * What keeps a pattern from meaning the same to RE2, which the API server uses, and to ECMAScript, or a backtracking engine from
 * answering in reasonable time. Empty for a pattern that may be used; else one phrase whose subject is the pattern.
 *
 * A repeated group whose text can vary must be told apart from its next round: by a character, at the start or at the end of
 * each of its alternatives, that nothing else in the group matches. `(\.[a-z]+)*` passes, `([a-z]+)*` does not.
 */
export function patternProblems(pattern: string): readonly string[] {
  try {
    const alternatives = parsePattern(pattern);
    const ambiguous = groupsIn(alternatives).some((piece) => piece.max > 1 && !isSeparated(piece.alternatives));
    if (ambiguous) return ['repeats a group that can split one text in several ways'];
    // Last, so that the reasons above are told in place of an engine's.
    return new RegExp(pattern, 'u').unicode ? [] : ['is no regular expression'];
  } catch (error) {
    if (error instanceof PatternProblem) return [error.message];
    if (error instanceof SyntaxError) return ['is no regular expression'];
    throw error;
  }
}

interface Group {
  readonly alternatives: readonly Sequence[];
  readonly max: number;
}

function groupsIn(alternatives: readonly Sequence[]): readonly Group[] {
  return alternatives
    .flat()
    .flatMap(({ atom, max }) =>
      'set' in atom ? [] : [{ alternatives: atom.alternatives, max }, ...groupsIn(atom.alternatives)],
    );
}

function isSeparated(alternatives: readonly Sequence[]): boolean {
  const [only] = alternatives;
  if (alternatives.length === 1 && only !== undefined && only.every(isFixed)) return true;
  return (
    alternatives.every((sequence) => separates(sequence.at(0), sequence, alternatives)) ||
    alternatives.every((sequence) => separates(sequence.at(-1), sequence, alternatives))
  );
}

/** Tells whether a piece is one character that nothing else in the group can match. */
function separates(piece: Piece | undefined, own: Sequence, alternatives: readonly Sequence[]): boolean {
  if (piece === undefined || piece.min !== 1 || piece.max !== 1 || !('set' in piece.atom)) return false;
  const { set } = piece.atom;
  const others = alternatives.flatMap((sequence) =>
    sequence === own ? sequence.filter((other) => other !== piece) : sequence,
  );
  return setsIn(others).every((other) => areDisjoint(set, other));
}

function isFixed(piece: Piece): boolean {
  if (piece.min !== piece.max) return false;
  if ('set' in piece.atom) return true;
  const [only, ...more] = piece.atom.alternatives;
  return more.length === 0 && only !== undefined && only.every(isFixed);
}

function setsIn(pieces: readonly Piece[]): readonly CodePoints[] {
  return pieces.flatMap(({ atom }) => ('set' in atom ? [atom.set] : setsIn(atom.alternatives.flat())));
}

function areDisjoint(left: CodePoints, right: CodePoints): boolean {
  return left.every(([from, to]) => right.every(([otherFrom, otherTo]) => to < otherFrom || from > otherTo));
}
