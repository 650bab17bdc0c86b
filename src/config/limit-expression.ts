/** At most `count` requests in `seconds`. */
export interface LimitItem {
  count: number;
  seconds: number;
}

const secondsOf = { second: 1, minute: 60, hour: 3600, day: 86_400 } as const;
const item = /^(\d+)\s*\/\s*(?:(\d+)\s*)?(second|minute|hour|day)s?$/;

/** Parses `10/minute;100/hour`; an empty text has no items. @throws {Error} that says what is expected */
export function parseLimitExpression(text: string): LimitItem[] {
  if (text.trim() === '') return [];
  return text.split(';').map(part => {
    const [, count, periods = '1', unit] = item.exec(part.trim().toLowerCase()) ?? [];
    const seconds = Number(periods) * secondsOf[unit as keyof typeof secondsOf];
    const isSane = Number(count) >= 1 && seconds >= 1 && Number.isSafeInteger(Number(count) * seconds);
    if (!unit || !isSane) {
      throw new Error(
        'must be limits such as `10/minute;100/hour`, each a count and a period of seconds to days',
      );
    }
    return { count: Number(count), seconds };
  });
}
