import type { Migration } from '../../kernel/database/migrate.ts'

export const functionTestTable: Migration = {
  name: '20261222-extensions-function-test',
  sql: `
    -- The tests of functions, as their files were deployed.
    create table extensions.function_test (
      organization_id uuid not null,
      function_id uuid not null,
      name text not null,
      content text not null,
      primary key (organization_id, function_id, name),
      foreign key (organization_id, function_id) references extensions.function (organization_id, id)
    );
  `,
}
