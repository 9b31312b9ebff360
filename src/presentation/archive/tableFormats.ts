export { tableFormats, type TableFormat } from '../../reports/settingsTable.ts';
