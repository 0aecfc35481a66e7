import type { Migration } from '../../kernel/database/migrate.ts'

export const winCalibrationTable: Migration = {
  name: '20261128-insights-win-calibration',
  sql: `
    create table insights.win_calibration (
      organization_id uuid not null,
      -- The first day of the month.
      month date not null,
      computed_at timestamptz(3) not null,
      test jsonb not null,
      -- What naive Bayes has learned, where it is used.
      tables jsonb,
      primary key (organization_id, month)
    );
  `,
}
