// Lists of digits in one agreed form: the twin of joining.py.

/** The digits sorted by source and divisor, one for each part read, every chain that is one digit written as one, and few that read sums. */
function joined(digits, shape) {
  const result = gathered(digits, shape);
  const apart = result.flatMap((digit) => partsOf(digit, shape));
  return isSame(apart, result) ? result : joined(apart, shape);
}

/** The same, with sums left as they are. */
function gathered(digits, shape) {
  let offset = 0;
  const parts = new Map();
  for (let digit of digits) {
    if (Array.isArray(digit.axis)) digit = { ...digit, axis: simplest(digit.axis, shape) };
    const radix = fittingRadix(digit, shape);
    if (radix <= 1 || !digit.stride) continue;
    if (digit.axis === null) offset = exact(offset + digit.stride, "the offset goes");
    else {
      const part = JSON.stringify([digit.axis, digit.divisor, radix]);
      const stride = exact((parts.get(part)?.stride ?? 0) + digit.stride, "a digit reaches");
      parts.set(part, { ...digit, radix, stride });
    }
  }
  const reading = [...parts.values()].filter(({ stride }) => stride);
  const within = (a, b) => a.divisor - b.divisor || a.radix - b.radix;
  const ofAxes = reading.filter(({ axis }) => !Array.isArray(axis)).sort((a, b) => a.axis - b.axis || within(a, b));
  const ofSums = reading.filter(({ axis }) => Array.isArray(axis));
  const names = new Map(ofSums.map((digit) => [digit, JSON.stringify(digit.axis)]));
  const byName = (a, b) => (names.get(a) < names.get(b) ? -1 : names.get(a) > names.get(b) ? 1 : 0);
  ofSums.sort((a, b) => byName(a, b) || within(a, b));
  const result = [];
  for (const digit of [...ofAxes, ...ofSums]) {
    const last = result.at(-1);
    const goesOn = last && isSame(last.axis, digit.axis) && digit.divisor === last.divisor * last.radix;
    if (goesOn && digit.stride === last.stride * last.radix) {
      result[result.length - 1] = { ...last, radix: Math.min(last.radix * digit.radix, ceilDiv(extent(last.axis, shape), last.divisor)) };
    } else result.push(digit);
  }
  return offset ? [constant(offset), ...result] : result;
}

/** A sum gathered, or the axis that it is all of. */
function simplest(terms, shape) {
  terms = gathered(terms, shape);
  return terms.length === 1 && readsAllOf(terms[0], shape) && terms[0].stride === 1 ? terms[0].axis : terms;
}

/** Digits that add up to the digit; the digit alone where it cannot be taken apart. */
function partsOf(digit, shape) {
  if (!Array.isArray(digit.axis)) return [digit];
  const times = (a, b) => exact(a * b, "a digit reaches");
  if (readsAllOf(digit, shape)) return digit.axis.map((term) => ({ ...term, stride: times(term.stride, digit.stride) }));
  let terms = digit.axis.flatMap((term) => partsOf(term, shape));
  if (terms.some((term) => term.axis === null || term.stride < 0)) return [digit];
  const end = times(digit.divisor, digit.radix);
  const most = (listed) => reach(listed, shape).high;
  terms = terms.map((term) => folded(term, end, shape)).filter((term) => term.radix > 1);
  if (most(terms) >= end) return [digit];
  terms = terms.flatMap((term) => cut(term, digit.divisor, shape));
  if (most(terms.filter((term) => term.stride % digit.divisor)) >= digit.divisor) return [digit];
  const whole = terms.filter((term) => term.stride % digit.divisor === 0);
  return whole.map((term) => ({ ...term, stride: times(digit.stride, term.stride / digit.divisor) }));
}

const readsAllOf = (digit, shape) => digit.divisor === 1 && digit.radix >= extent(digit.axis, shape);

const greatestDivisor = (a, b) => (b ? greatestDivisor(b, a % b) : a);

/** The term with no more steps than there are different remainders of it. */
function folded(term, modulus, shape) {
  const period = modulus / greatestDivisor(term.stride, modulus);
  return term.radix > period && divides(term, period, shape) ? { ...term, radix: period } : term;
}

/** The term in two, where it reaches from below the divisor to above. */
function cut(term, divisor, shape) {
  const steps = divisor / term.stride;
  if (divisor % term.stride || steps <= 1 || fittingRadix(term, shape) <= steps || !divides(term, steps, shape)) return [term];
  return [{ ...term, divisor: term.divisor * steps, radix: ceilDiv(term.radix, steps), stride: divisor }, { ...term, radix: steps }];
}

/** Whether so many steps of the term are a digit of what the term reads. */
const divides = (term, steps, shape) => term.radix % steps === 0 || term.divisor * term.radix >= extent(term.axis, shape);
