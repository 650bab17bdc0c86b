/** What `svc init` needs to know. */
export interface Answers {
  appName: string;
  baseUrl: string;
  databaseUrl: string;
}

export const defaultAnswers: Answers = {
  appName: 'Gatehouse',
  baseUrl: 'http://localhost:8000',
  databaseUrl: 'sqlite+aiosqlite:///./svc.db',
};
