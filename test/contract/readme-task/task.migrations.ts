import type { Migration } from '../../../subgraphs/kernel/database/migrate.ts'
import { listIndexes, recordColumns, uniqueExternalIds } from '../../../subgraphs/kernel/record/record-table.ts'

export const taskTable: Migration = {
  name: '20261121-crm-task',
  sql: `
    create table crm.task (${recordColumns},
      title text not null,
      status text not null,
      due_at timestamptz(3),
      account_id uuid
    );
    ${listIndexes('crm.task', 'task', ['account_id'])}${uniqueExternalIds(['crm.task'])}
  `,
}
