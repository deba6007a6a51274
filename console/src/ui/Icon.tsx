const paths = {
  refresh: "M13 8a5 5 0 11-1.5-3.6M13 2v3h-3",
  more: "M8 3.5v.01M8 8v.01M8 12.5v.01",
  menu: "M2 4h12M2 8h12M2 12h12",
  moon: "M13 9.5A5.5 5.5 0 016.5 3 5.5 5.5 0 1013 9.5z",
  sun: "M8 5a3 3 0 100 6 3 3 0 000-6zM8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.4 1.4M11.6 11.6L13 13M13 3l-1.4 1.4M4.4 11.6L3 13",
  help: "M6 6a2 2 0 114 0c0 1.5-2 1.5-2 3M8 11.5v.01",
  logout: "M6 2H3v12h3M7 8h7M11 5l3 3-3 3",
  close: "M4 4l8 8M12 4l-8 8",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  left: "M10 4L6 8l4 4",
  right: "M6 4l4 4-4 4",
  overview: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z",
  secrets: "M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 015 0v2.5M8 10v1.5",
  configmaps: "M2 4h6M11 4h3M2 8h2M7 8h7M2 12h7M12 12h2M9.5 2.5v3M5.5 6.5v3M10.5 10.5v3",
  queues: "M2 3h8M2 8h11M2 13h6",
  events: "M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z",
  jobs: "M2 4.5h12v9H2zM5.5 4.5v-2h5v2M2 8.5h12",
  nodes: "M2 3h12v4H2zM2 9h12v4H2zM4.5 5v.01M4.5 11v.01",
  pods: "M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6",
  boards: "M2 13.5h12M3 11l3.5-4 3 2.5L14 4",
  notebooks: "M4 2h9v12H4zM6.5 2v12M2.5 5H5M2.5 8H5M2.5 11H5",
  volumes: "M2.5 4c0-2.5 11-2.5 11 0v8c0 2.5-11 2.5-11 0zM2.5 4c0 2.5 11 2.5 11 0M2.5 8c0 2.5 11 2.5 11 0",
  folder: "M2 4h4l1.5 1.5H14V13H2z",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  download: "M8 2v8M5 7l3 3 3-3M3 13h10",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
