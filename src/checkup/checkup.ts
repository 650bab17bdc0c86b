import type { Report } from '../check.ts';
export async function checkUp(_options: object, _report: Report): Promise<void> {}
