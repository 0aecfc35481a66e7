/** The example tabs of the explorer. `gateway/pages/pages.test.ts` checks them against the committed supergraph. */
export const exampleTabs = [
  {
    query: `# Welcome. Paste an API key into the bar above, then
# press the run button on the right, or Ctrl-Enter.
#
# Ctrl-Space completes a field, hovering explains it,
# and the book icon on the left opens the schema.
# The other tabs hold more examples.

query TopAccounts {
  # The five largest accounts, and the number of all.
  accountList(
    limit: 5
    orderBy: [{ field: annualRevenue, direction: DESC }]
  ) {
    total
    data {
      id
      name
      industry
      annualRevenue
    }
  }
}
`,
  },
  {
    query: `# Fields of two subgraphs: accounts are in "crm",
# cases in "support". The cases of all accounts are
# fetched together, so this needs two fetches, not six.

query AccountsWithOpenCases {
  accountList(
    limit: 5
    orderBy: [{ field: annualRevenue, direction: DESC }]
  ) {
    data {
      name
      accountStatus
      cases(filter: { status: { eq: OPEN } }, first: 3) {
        totalCount
        nodes {
          caseNumber
          subject
          priority
        }
      }
    }
  }
}
`,
  },
  {
    query: `# The variables are in the panel below.

query FindCases($search: String, $limit: Int) {
  caseList(
    search: $search
    limit: $limit
    orderBy: [{ field: createdAt, direction: DESC }]
  ) {
    total
    hasMore
    data {
      caseNumber
      subject
      status
      priority
      account {
        name
      }
    }
  }
}
`,
    variables: JSON.stringify({ search: 'invoice', limit: 10 }, null, 2),
  },
  {
    query: `# A mutation: the key needs the scope WRITE_CASES.
# The new case gets the next case number of the organization.

mutation CreateCase($input: CaseCreateInput!) {
  caseCreate(input: $input) {
    id
    caseNumber
    status
    createdAt
  }
}
`,
    variables: JSON.stringify(
      { input: { subject: 'Export never finishes', priority: 'HIGH', type: 'INCIDENT' } },
      null,
      2,
    ),
  },
  {
    query: `# The deal board: for each stage its number, its sum in
# the base currency, and its largest deals.

query Board {
  opportunityBoard(
    perStage: 5
    orderBy: [{ field: amount, direction: DESC }]
  ) {
    baseCurrency
    columns {
      stage {
        label
      }
      count
      baseAmount
      opportunities {
        name
        amount
        currency
        account {
          name
        }
      }
    }
  }
}
`,
  },
  {
    query: `# What happened with the largest account, newest first.

query Timeline {
  accountList(
    limit: 1
    orderBy: [{ field: annualRevenue, direction: DESC }]
  ) {
    data {
      name
      timeline(first: 10) {
        nodes {
          kind
          occurredAt
          title
        }
      }
    }
  }
}
`,
  },
  {
    query: `# A mutation: the key needs the scope WRITE_QUOTES.
# Totals and tax are calculated by the platform.

mutation WriteQuote($input: QuoteCreateInput!) {
  quoteCreate(input: $input) {
    quoteNumber
    status
    subtotal
    taxTotal
    total
  }
}
`,
    variables: JSON.stringify(
      {
        input: {
          name: 'Dock licences',
          currency: 'EUR',
          lineItems: [{ name: 'Dock licence', quantity: 2, unitPrice: 450, taxRate: 19 }],
        },
      },
      null,
      2,
    ),
  },
  {
    query: `# Runs until you stop it, and shows each change of a deal
# that you see. Change one in another tab.

subscription DealChanges {
  recordChanged(object: OPPORTUNITY) {
    type
    changedFields
    opportunity {
      name
      stage
      amount
    }
  }
}
`,
  },
]
