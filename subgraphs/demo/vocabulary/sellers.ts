import type { OrganizationSettings } from '../../identity/public.ts'

/** What customers see of an organization of the demo on its documents, pages and mails. */
export interface DemoSeller extends Pick<
  OrganizationSettings,
  'postalAddress' | 'taxId' | 'paymentInstructions' | 'brandColor'
> {
  /** A PNG of 56 × 52 pixels in Base64. */
  readonly logo: string
}

export const freightSeller: DemoSeller = {
  postalAddress: 'Fjordline Freight Systems GmbH\nAm Sandtorkai 77\n20457 Hamburg\nGermany',
  taxId: 'DE 999 999 999',
  paymentInstructions: 'Demo Bank, IBAN DE02 1203 0000 0000 2020 51, BIC BYLADEM1001',
  brandColor: '#0b6e4f',
  logo: 'iVBORw0KGgoAAAANSUhEUgAAADgAAAA0CAIAAABQJmwyAAAA7klEQVR4nOyZQQrCMBBFY+jSw3kTz+JNPJz7KHQjbUkzMy8NSeYtRNDMPP7XUuiSUgo9EEMnuCiNi9K4KE03okuguT8fv9fP6x1Q4ERXy/83FFP+RjcpsqFioodaoOtk1WeSo0IFRE9VENdpqi9Myx6qSVS03ug6QfWKhCyhKkXVK9UHh67e+LfQHReLIldvxZBBqwfvhqSjBKL4Tbto4HDV43FKxxaJVrIUDR+o+qpxlq+I9hEIp4uGqP6yOEvWRd2xSmSWdl59kzjzq2P5Vy/jUKDb6pvHubLXiPmPG7KRufmzUBgXpXFRGhel+QIAAP//KZOXogAAAAZJREFUAwCMMy3gt+CBswAAAABJRU5ErkJggg==',
}

export const laboratorySeller: DemoSeller = {
  postalAddress: 'Kestrel Instruments Inc.\n1200 Bluff Street, Suite 4\nMadison, WI 53705\nUnited States',
  taxId: '00-0000000',
  paymentInstructions: 'Demo Bank, routing number 000000000, account 000123456789',
  brandColor: '#6a3fa0',
  logo: 'iVBORw0KGgoAAAANSUhEUgAAADgAAAA0CAIAAABQJmwyAAAAyElEQVR4nOyZyxWFIAxEeRwKe51YgPVYgJ3YGe5c+UmGAYUzd02SKwHUQ8o5hx6IoRMkykaibCTKJoUC5v/qGr9sU0BR69lIlI1E2UiUjUTZSJSNRNngot5vPCzkABSFS8KBQ7e+pINwuPtXpNAS5p3WA0/rEyVOpzfViJuJvjpdCa2ilfaQPe1Yra96JBmTP4s2ODgtJUZpfbP30GOhVBLckg+1/n5eIhZWiZuinW+mF1fnVeloH9qMU4Gf7kLJSJSNRNlIlM0OAAD//9hdFTEAAAAGSURBVAMA76ctuu/XcZgAAAAASUVORK5CYII=',
}
