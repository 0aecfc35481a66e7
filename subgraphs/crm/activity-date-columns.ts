const date = { indexed: true, nullable: true, writable: 'NEVER', isUnversioned: true } as const

/** The options of the column `lastActivityDate` of a record type: `account`. */
export const lastActivityDate = (one: string) =>
  ({
    ...date,
    description: `When the newest activity of the ${one} took place or a task of it was completed; null if there is none. A change of an activity or a task sets it in the same transaction, without a new \`version\` and without an event of the ${one}.`,
    example: '2026-10-28T13:00:00.000Z',
  }) as const

export const nextActivityDate = (one: string) =>
  ({
    ...date,
    description: `The earliest due date of the open tasks of the ${one}, which may have passed, or the begin of its next planned meeting if that is earlier; null if there is neither. Set as \`lastActivityDate\` is.`,
    example: null,
  }) as const
